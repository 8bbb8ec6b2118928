import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { LANGUAGES, languageOf, loadLanguages } from '../../src/lib/language.ts'

describe('the language of a text', () => {
  before(loadLanguages)

  test('is one of those that the settings can name', async () => {
    const { eld } = await import('eld/extrasmall')
    assert.deepEqual(Object.values(eld.info().Languages).sort(), [...LANGUAGES])
  })

  test('is told of what people write to a desk', () => {
    for (const [language, text] of [
      ['en', 'Please cancel my subscription at the end of the month. Thank you.'],
      ['de', 'Bitte kündigen Sie mein Abonnement zum Monatsende. Vielen Dank.'],
      ['fr', 'Veuillez résilier mon abonnement à la fin du mois. Merci.'],
      ['es', 'Por favor, cancelen mi suscripción a fin de mes. Gracias.'],
      ['it', 'Vi prego di disdire il mio abbonamento alla fine del mese. Grazie.'],
      ['pt', 'Por favor, cancelem a minha assinatura no fim do mês. Obrigado.'],
      ['nl', 'Wilt u mijn abonnement aan het einde van de maand opzeggen? Bedankt.'],
      ['pl', 'Proszę anulować moją subskrypcję na koniec miesiąca. Dziękuję.'],
      ['sv', 'Vänligen avsluta min prenumeration i slutet av månaden. Tack.'],
      ['fi', 'Pyydän peruuttamaan tilaukseni kuun lopussa. Kiitos.'],
      ['hu', 'Kérem, mondják le az előfizetésemet a hónap végén. Köszönöm.'],
      ['tr', 'Lütfen aboneliğimi ay sonunda iptal edin. Teşekkürler.'],
      ['ru', 'Пожалуйста, отмените мою подписку в конце месяца. Спасибо.'],
      ['uk', 'Будь ласка, скасуйте мою підписку наприкінці місяця. Дякую.'],
      ['el', 'Παρακαλώ ακυρώστε τη συνδρομή μου στο τέλος του μήνα.'],
      ['zh', '您好，我还没有收到我的订单。请问什么时候能到？'],
      ['ja', 'こんにちは。まだ注文した商品が届いていません。'],
      ['ko', '안녕하세요, 아직 주문한 상품을 받지 못했습니다.'],
      ['ar', 'مرحبا، لم أستلم طلبي بعد. متى سيصل؟'],
    ] as const)
      assert.equal(languageOf(text), language, text)
  })

  test('is none where there is too little, or nothing that people say', () => {
    for (const text of [
      ...['', 'OK', 'Danke!', 'Thanks', '👍👍', '+49 170 1234567', 'Invoice 4711', '--------------------------------'],
      'https://example.com/the/quick/brown/fox/jumps/over/the/lazy/dog?and=so&on=and',
      'someone@a-long-domain-of-a-company.example, another@the-same-long-domain.example',
      'xkcd qwrt zxcv bnmp hjkl fghj wrtz pqst vbnm kjhg',
      '> Hello, I have not received my order yet. When will it arrive?',
    ])
      assert.equal(languageOf(text), null, text)
  })

  test('is that of what was written, not of what is quoted below', () => {
    const quoted = '> Guten Tag, wir haben Ihre Bestellung gestern verschickt, sie sollte morgen ankommen.\n'.repeat(20)
    assert.equal(languageOf(`Thank you, but the parcel has still not arrived here.\n\n${quoted}`), 'en')
    assert.equal(languageOf(`${quoted}\nThank you, but the parcel has still not arrived here.`), 'en')
  })

  test('is not that of what a firm puts below every mail', () => {
    const notice =
      'This email and any attachments are for the intended recipient and may contain confidential information.'
    const short = 'Guten Tag Herr Kim,\n\nvielen Dank, wir nehmen das Angebot an.'
    for (const text of [
      `${short}\n\n${notice}`,
      `${short}\n-- \n${notice}`,
      `${short}\n\n-----Original Message-----\n${notice}`,
    ])
      assert.equal(languageOf(text), 'de', text)
    for (const text of [`Danke!\n\n${notice}`, `Danke!\r\n\r\n${notice}`, `Danke!\r\n-- \r\n${notice}`])
      assert.equal(languageOf(text), null, text)
  })

  test('costs the same for a long text as for a short one', () => {
    const long = [
      'a'.repeat(10_000_000),
      'word '.repeat(2_000_000),
      '> quoted\n'.repeat(1_000_000),
      '.@'.repeat(5_000_000),
    ]
    const started = performance.now()
    for (const text of long) for (let times = 0; times < 25; times++) languageOf(text)
    // About 0.2 ms each; where all of a text was read, each took longer than this.
    assert.ok(performance.now() - started < 2000)
  })
})
