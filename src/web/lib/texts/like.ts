/**
 * A catalogue is an object of texts, and of functions that make one from values. The English one is the type of the others:
 * a text that German lacks does not compile. A part of the app that loads late has a catalogue of its own, by `catalogue`.
 */
export type Texts = { readonly [key: string]: string | ((...values: never[]) => string) | Texts }
/** The same keys with other words. */
export type Like<T extends Texts> = {
  readonly [Key in keyof T]: T[Key] extends string ? string : T[Key] extends Texts ? Like<T[Key]> : T[Key]
}

/** `pseudo` is English made 40 % longer, which the tests use to find where a text overflows. */
export type Language = 'en' | 'de' | 'pseudo'

/** Texts that load before the first screen are given by a function, in English as well. */
export type Source<T extends Texts> = {
  en: T | (() => Promise<T>)
  de: () => Promise<Like<T>>
  /** Those in a language, if their file is there already. */
  here?: (language: Language) => T | Like<T> | undefined
}
