import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

/** The appearance of the page; kept on the server with the member's preferences, so that the page comes in it. */
export const theme = signal<Theme>('system')

export function keepTheme(): void {
  effect(() => {
    const root = document.documentElement
    if (theme.value === 'system') delete root.dataset.theme
    else root.dataset.theme = theme.value
  })
}
