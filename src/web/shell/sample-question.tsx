import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { sayWhy } from '../components/say-why.ts'
import { showToast } from '../components/toast.tsx'
import { askForSample, isAskingForSample } from './asking.ts'
import { removeSample, sample } from './first-steps.ts'
import { texts } from './sample/texts.ts'

const failed = (error: unknown) => showToast({ kind: 'error', text: sayWhy(error) })

/** Asks before the sample data goes, also about what was edited of it. The place of the question, in the app once. */
export function SampleQuestion() {
  if (!isAskingForSample.value || !sample.value) return null
  const { count, edited } = sample.value
  const close = () => askForSample(false)
  const remove = (what: 'keep' | 'remove') => {
    close()
    removeSample(what).then(() => showToast({ text: texts().started }), failed)
  }
  return (
    <Dialog
      title={texts().title}
      alert
      wide={edited > 0}
      onClose={close}
      footer={
        <>
          <Button plain large autofocus onClick={close}>
            {texts().keepAll}
          </Button>
          {edited > 0 && (
            <Button large onClick={() => remove('keep')}>
              {texts().removeUnedited}
            </Button>
          )}
          <Button first danger large onClick={() => remove('remove')}>
            {edited > 0 ? texts().removeAll : texts().remove}
          </Button>
        </>
      }
    >
      <p class="dim">
        {texts().body(count)} {edited > 0 && texts().edited(edited)}
      </p>
    </Dialog>
  )
}
