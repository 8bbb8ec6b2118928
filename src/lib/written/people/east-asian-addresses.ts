import type { Locality } from './towns.ts'

// Addresses in Chinese, Japanese and Korean, which go from the large to the small.

const JAPANESE =
  /^(?:〒\s*)?(?<code>\d{3}-?\d{4})?\s*(?<named>日本国?[、,\s]*)?(?<region>北海道|東京都|京都府|大阪府|\p{Script=Han}{2,3}県)?\s*(?<city>\p{Script=Han}{1,6}?市\p{Script=Han}{1,3}区|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{1,7}?郡[\p{Script=Han}\p{Script=Hiragana}]{1,5}?[町村]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]{1,8}?[市区])\s*(?<line>.*)$/su
const CHINESE =
  /^(?:(?<code>\d{3,6})[\s,，]*)?(?<named>中国[\s,，]*)?(?<region>\p{Script=Han}{2,7}?(?:省|自治区|特别行政区))?\s*(?<city>\p{Script=Han}{1,6}?[市州盟縣县])\s*(?<line>.*?)(?:[\s,，]+(?:邮编[:：]?\s*)?(?<behind>\d{6}))?$/su
const KOREAN =
  /^(?:\(?(?<code>\d{5}|\d{3}-\d{3})\)?\s*)?(?<named>대한민국\s*)?(?<region>\p{Script=Hangul}{1,6}(?:특별자치시|특별시|광역시|특별자치도|도|시))\s+(?<city>\p{Script=Hangul}{1,5}[시군구])\s+(?<line>.*?)(?:[\s,]+\(?(?<behind>\d{5})\)?)?$/su

const COUNTRY = new Map([
  [JAPANESE, 'JP'],
  [CHINESE, 'CN'],
  [KOREAN, 'KR'],
])

/** Undefined for what is in none of these scripts, or has none of their words for towns and districts. */
export function readEastAsian(text: string): (Locality & { line1?: string; line2?: string }) | undefined {
  const isJapanese = /^〒|[都道府県]|\p{Script=Hiragana}|\p{Script=Katakana}|丁目|番地/u.test(text)
  const orders = /\p{Script=Hangul}/u.test(text) ? [KOREAN] : isJapanese ? [JAPANESE, CHINESE] : [CHINESE, JAPANESE]
  if (!/[\p{Script=Han}\p{Script=Hangul}]/u.test(text)) return undefined
  for (const order of orders) {
    const { named, code, region, city, line = '', behind } = order.exec(text.replace(/\n/g, ' '))?.groups ?? {}
    if (city === undefined) continue
    const [line1, line2] = line.trim().split(/\s+(?=\S*(?:ビル|マンション|階|号室|楼|室|층|호))/u)
    const postal_code = code ?? behind
    return {
      ...(postal_code ? { postal_code } : {}),
      ...(region ? { region } : {}),
      city,
      ...(line1 ? { line1 } : {}),
      ...(line2 ? { line2 } : {}),
      ...(named ? { country: COUNTRY.get(order) as string } : {}),
    }
  }
  return undefined
}
