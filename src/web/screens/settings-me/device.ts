const BROWSERS: [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: [RegExp, string, boolean][] = [
  [/iPhone/, 'iPhone', true],
  [/iPad/, 'iPad', true],
  [/Android/, 'Android', true],
  [/Windows/, 'Windows', false],
  [/Mac OS X|Macintosh/, 'Mac', false],
  [/CrOS/, 'ChromeOS', false],
  [/Linux/, 'Linux', false],
]

/** The browser and the system that a user agent names, such as "Firefox on Windows"; undefined if it names neither. */
export function deviceOf(userAgent: string | null): { icon: 'screen' | 'cell'; name: string | undefined } {
  const text = userAgent ?? ''
  const browser = BROWSERS.find(([pattern]) => pattern.test(text))?.[1]
  const [, system, isHandheld = false] = SYSTEMS.find(([pattern]) => pattern.test(text)) ?? []
  const parts = [browser, system].filter((part) => part !== undefined)
  return { icon: isHandheld ? 'cell' : 'screen', name: parts.length > 0 ? parts.join(' · ') : undefined }
}
