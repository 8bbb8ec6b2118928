import { boot } from '../../data/boot.ts'
import { create, patch } from '../../data/records.ts'
import type { Deal, Fields } from '../../data/types.ts'
import { asStep, inStep } from '../../data/writes.ts'

/** Makes a deal in a stage, as one step: the API makes deals in the first one of a pipeline. */
export async function makeDeal(
  body: Fields,
  stage: string,
  onMade?: (id: string) => void,
): Promise<{ deal: Deal; step: string }> {
  const pipeline_id = boot.peek().stages.find(({ id }) => id === stage)?.pipeline_id
  let making: Promise<Deal> | undefined
  const step = asStep(() => {
    making = create('deals', { ...body, pipeline_id })
  })
  const deal = (await making) as Deal
  onMade?.(deal.id)
  let moving: Promise<void> | undefined
  if (deal.stage !== stage)
    inStep(step, () => {
      moving = patch('deals', deal.id, { stage })
    })
  await moving
  return { deal, step }
}
