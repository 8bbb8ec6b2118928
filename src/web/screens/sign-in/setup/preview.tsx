import { texts } from './texts.ts'

const CARDS = [4, 3, 3, 1]

/** The board to come, in miniature. */
export function Preview({ isEmpty }: { isEmpty: boolean }) {
  return (
    <figure class="pv" aria-hidden="true">
      <figcaption class="small mute">{texts().preview}</figcaption>
      <div class="cols">
        {texts()
          .stages.split('|')
          .map((stage, index) => (
            <div key={stage}>
              <span class="cut" dir="auto">
                {stage}
              </span>
              {Array.from({ length: isEmpty ? 0 : (CARDS[index] ?? 0) }, (_, card) => (
                <i key={card} class="small-card">
                  <b class="line" />
                  <b class="line" />
                </i>
              ))}
            </div>
          ))}
      </div>
    </figure>
  )
}
