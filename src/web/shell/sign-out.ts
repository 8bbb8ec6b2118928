/** Ends the session: see stuck/leave.tsx. */
export const signOut = async (): Promise<void> => (await import('./stuck/leave.tsx')).leave()
