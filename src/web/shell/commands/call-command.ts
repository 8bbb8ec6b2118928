import { mayWrite } from '../../data/may.ts'
import { opening } from '../../lib/typed-ahead.ts'
import { texts as callTexts } from '../calls/texts.ts'
import { register } from './registry.ts'
import { texts } from './texts.ts'

// It comes with the palette, which is there once the page has time: the first page is small without it.
register([
  {
    id: 'app.log-call',
    title: () => callTexts().add,
    titleWith: (text) => texts().make(callTexts().add, text),
    group: 'new',
    where: 'anywhere',
    keys: 'c l',
    icon: 'phone',
    when: () => mayWrite(),
    run: async (context) => {
      const file = import('../calls/log-call.tsx')
      // What was typed in the palette may be all that there is to say.
      ;(await (context.text ? file : opening(file))).askForCall(context)
    },
  },
])
