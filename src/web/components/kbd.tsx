import './kbd.css'

/** A key as it is shown: "Ctrl K". Screen readers hear it from aria-keyshortcuts of the control. */
export function Kbd({ keys }: { keys: string }) {
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a kbd takes no focus
  return <kbd aria-hidden="true">{keys}</kbd>
}
