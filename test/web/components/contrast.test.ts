import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../../..')
const css = readFileSync(join(root, 'src/web/styles/tokens.css'), 'utf8')
const COLOUR = /--([\w-]+):\s*light-dark\(\s*(oklch\([^)]*\)),\s*(oklch\([^)]*\))\s*\)/g
const tokens: Record<'light' | 'dark', Record<string, string>> = { light: {}, dark: {} }
for (const [, name = '', light = '', dark = ''] of css.matchAll(COLOUR)) {
  tokens.light[name] = light
  tokens.dark[name] = dark
}

/** Linear sRGB of an oklch colour. */
function linear(text: string): [number, number, number] {
  const [L = 0, C = 0, H = 0] = (text.match(/[\d.]+/g) ?? []).map(Number)
  const a = C * Math.cos((H * Math.PI) / 180)
  const b = C * Math.sin((H * Math.PI) / 180)
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

function contrast(one: string, other: string): number {
  const luminance = (text: string): number => {
    const [r, g, b] = linear(text).map((part) => Math.min(1, Math.max(0, part))) as [number, number, number]
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

const WHITE = 'oklch(1 0 0)'
const SURFACES = ['desk', 'well', 'sheet', 'raised']
const TEXTS = ['ink', 'ink-2', 'ink-3', 'accent', 'late', 'warn', 'good']

/** Text, its ground, and what it needs: 4.5 for text, 3 for borders and marks that stand alone. */
const pairs: [string, string, number][] = [
  ...[...SURFACES, 'accent-tint'].flatMap((ground) =>
    TEXTS.map((text): [string, string, number] => [text, ground, 4.5]),
  ),
  ...['late', 'warn', 'good'].flatMap((signal) =>
    ['ink', 'ink-2', 'ink-3', signal].map((text): [string, string, number] => [text, `${signal}-tint`, 4.5]),
  ),
  ['on-accent', 'accent-fill', 4.5],
  ['on-accent', 'accent-deep', 4.5],
  ['white', 'late-fill', 4.5],
  ['ink', 'find', 4.5],
  ['ink', 'find-now', 4.5],
  ...[1, 2, 3, 4, 5, 6].map((tint): [string, string, number] => [`m${tint}-ink`, `m${tint}-bg`, 4.5]),
  ...SURFACES.flatMap((ground) =>
    ['field', 'accent', 'late-solid', 'good-solid', 'series-1'].map((mark): [string, string, number] => [
      mark,
      ground,
      3,
    ]),
  ),
]

for (const theme of ['light', 'dark'] as const) {
  test(`every colour that is read or stands alone has its contrast, ${theme}`, () => {
    const low = pairs.flatMap(([text, ground, needed]) => {
      const [one, other] = [text === 'white' ? WHITE : tokens[theme][text], tokens[theme][ground]]
      assert.ok(one && other, `${text} on ${ground} is not in tokens.css`)
      const found = contrast(one, other)
      return found < needed ? [`${text} on ${ground}: ${found.toFixed(2)} of ${needed}`] : []
    })
    assert.deepEqual(low, [])
  })
}

test('components use the colours of the tokens, or a few of their own that are written down here', () => {
  // Toasts are dark in both themes, and marks that need no contrast stand beside their word.
  const own = new Set(['toast.css', 'pips.css', 'sla.css', 'check.css', 'button.css'])
  for (const file of globSync('src/web/{components,tables,record}/**/*.css', { cwd: root })) {
    if (own.has(file.split(/[\\/]/).at(-1) ?? '')) continue
    const text = readFileSync(join(root, file), 'utf8')
    assert.doesNotMatch(text, /oklch\(|rgb\(|#[0-9a-f]{3,8}\b|hsl\(/i, file)
  }
})
