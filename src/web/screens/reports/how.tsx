import type { Report, ToldPart } from '../../../site/reports/reports.ts'
import { Icon } from '../../components/icon.tsx'
import { partTexts } from './kinds.ts'
import { texts } from './texts.ts'

/** How a figure is made, in words. On paper it is always open. */
export function How({ report, part }: { report: Report; part: ToldPart }) {
  return (
    <details class="how">
      <summary>
        <Icon name="right" small />
        {texts().how}
      </summary>
      <p>{partTexts(report, part).how}</p>
    </details>
  )
}
