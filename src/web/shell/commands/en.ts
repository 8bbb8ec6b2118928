/** Texts of the commands of the app. */
export const en = {
  keys: 'Keyboard shortcuts',
  make: (title: string, text: string) => `${title} “${text}”`,
  goTo: (place: string) => `Go to ${place}`,
  undo: 'Undo the last change',
  signOut: 'Sign out',
  light: 'Light appearance',
  dark: 'Dark appearance',
  system: 'Appearance as the system',
  reload: 'Load the page again',
}
