/** The box: shape and colours of the kit. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 20 20" aria-hidden="true">
      <path class="box" d="M2 6.5 4.2 2h11.6L18 6.5V16a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2z" />
      <path class="lid" d="M2.3 6.5h15.4" />
      <path class="lines" d="M6 11.5h8M6 14h8" />
    </svg>
  )
}
