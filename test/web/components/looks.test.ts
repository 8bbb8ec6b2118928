import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { type Gallery, startGallery } from './gallery-page.ts'

// How components look, against small pictures. Each of their pixels is the mean of a square of the page: edges of letters,
// which every machine draws in its own way, do not matter, but colours, sizes and whatever is missing do.

const SQUARE = 6
/** Of 255, in any of red, green and blue. */
const TOLERANCE = 16
/**
 * The share of squares that may be further off, of those with something in them. Letters drawn with full hinting reach 0.077;
 * buttons two pixels narrower, another accent or another font are beyond.
 */
const MAX_OFF = 0.08

const SECTIONS = [
  ['Buttons', 'light'],
  ['Buttons', 'dark'],
  ['Small things', 'light'],
  ['Small things', 'dark'],
  ['Form', 'light'],
  ['Inline edit, states', 'light'],
] as const

/** A picture as the page can compare it: a data URL of its squares. */
type Picture = { width: number; height: number; url: string }

describe('the look of components', { skip: noBrowser }, () => {
  let gallery: Gallery
  before(async () => {
    gallery = await startGallery()
  })
  after(() => gallery?.close())

  for (const [name, theme] of SECTIONS) {
    test(`${name} look as in their picture, ${theme}`, async () => {
      const page = await gallery.open({ theme })
      await page.evaluate(() => document.fonts.ready.then(() => undefined))
      const section = page.locator('section', { has: page.getByRole('heading', { name, exact: true }) })
      // Icons come and go.
      await section.locator('.icons').evaluateAll((all) => all.map((each) => each.remove()))
      const png = await section.screenshot({ animations: 'disabled', caret: 'hide' })
      const seen = await squaresOf(page, png)
      const file = join(import.meta.dirname, 'looks', `${name.toLowerCase().replaceAll(/\W+/g, '-')}-${theme}.png`)
      // UPDATE_SNAPSHOTS=1 keeps what is seen now: look at it first, with "npm run pictures".
      if (process.env.UPDATE_SNAPSHOTS === '1' || !existsSync(file)) {
        mkdirSync(join(file, '..'), { recursive: true })
        writeFileSync(file, Buffer.from(seen.url.slice(seen.url.indexOf(',') + 1), 'base64'))
      }
      const off = await shareOff(page, seen, readFileSync(file))
      assert.ok(off <= MAX_OFF, `${(off * 100).toFixed(1)} % of ${name} differ from ${file}`)
      await page.context().close()
    })
  }
})

const dataUrl = (png: Buffer): string => `data:image/png;base64,${png.toString('base64')}`

/** The mean colour of each square. */
const squaresOf = (page: Page, png: Buffer): Promise<Picture> =>
  page.evaluate(
    async ([url, square]) => {
      const image = Object.assign(new Image(), { src: url })
      await image.decode()
      const [width, height] = [Math.ceil(image.width / square), Math.ceil(image.height / square)]
      const from = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
      const drawn = from.getContext('2d') as CanvasRenderingContext2D
      drawn.drawImage(image, 0, 0)
      const canvas = Object.assign(document.createElement('canvas'), { width, height })
      const made = canvas.getContext('2d') as CanvasRenderingContext2D
      const squares = made.createImageData(width, height)
      for (let at = 0; at < width * height; at++) {
        const [left, top] = [(at % width) * square, Math.floor(at / width) * square]
        const [across, down] = [Math.min(square, image.width - left), Math.min(square, image.height - top)]
        const { data } = drawn.getImageData(left, top, across, down)
        for (let part = 0; part < 4; part++) {
          let sum = 0
          for (let pixel = part; pixel < data.length; pixel += 4) sum += data[pixel] ?? 0
          squares.data[at * 4 + part] = Math.round(sum / (across * down))
        }
      }
      made.putImageData(squares, 0, 0)
      return { width, height, url: canvas.toDataURL('image/png') }
    },
    [dataUrl(png), SQUARE] as const,
  )

/** How many squares differ by more than the tolerance, of those with something in them; all if the sizes differ. */
const shareOff = (page: Page, { width, height, url }: Picture, kept: Buffer): Promise<number> =>
  page.evaluate(
    async ([seen, kept, width, height, tolerance]) => {
      const pixels = async (url: string) => {
        const image = Object.assign(new Image(), { src: url })
        await image.decode()
        // One row more or less is the rounding of a line of text.
        if (image.width !== width || Math.abs(image.height - height) > 1) return null
        const canvas = Object.assign(document.createElement('canvas'), { width, height })
        const context = canvas.getContext('2d') as CanvasRenderingContext2D
        context.drawImage(image, 0, 0)
        return context.getImageData(0, 0, width, height).data
      }
      const [one, other] = [await pixels(seen), await pixels(kept)]
      if (!one || !other) return 1
      const difference = (at: number, from: Uint8ClampedArray, start: number) =>
        Math.max(...[0, 1, 2].map((part) => Math.abs((one[at + part] ?? 0) - (from[start + part] ?? 0))))
      let [off, drawn] = [0, 0]
      for (let at = 0; at < one.length; at += 4) {
        if (difference(at, other, at) > tolerance) off++
        // The first square is empty.
        if (difference(at, one, 0) > 2) drawn++
      }
      return off / drawn
    },
    [url, dataUrl(kept), width, height, TOLERANCE] as const,
  )
