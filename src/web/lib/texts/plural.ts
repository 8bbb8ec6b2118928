type Forms = { one: string; other: string }

/** Makes the choice between the forms of a number, as the rules of a language have it: `count(3, { one: 'deal', other: 'deals' })`. */
export function pluralOf(language: string) {
  const rules = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language === 'en' ? 'en-GB' : language)
  return {
    /** The form alone. */
    form: (count: number, forms: Forms): string => (rules.select(count) === 'one' ? forms.one : forms.other),
    /** The number alone: "1,204". */
    number: (count: number): string => numbers.format(count),
    /** The number and the form: "1,204 deals". */
    count: (count: number, forms: Forms): string =>
      `${numbers.format(count)} ${rules.select(count) === 'one' ? forms.one : forms.other}`,
  }
}
