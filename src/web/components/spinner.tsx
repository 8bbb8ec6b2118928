import './spinner.css'

export function Spinner() {
  return <i class="spin" aria-hidden="true" />
}
