import type { BackupCopy } from '../place.ts'
import { byName, isBackupName, NAME_START } from '../place.ts'
import type { Client } from './client.ts'
import { answerless } from './failures.ts'
import { all, type Element, parseXml, textOf } from './xml.ts'

/** At most 100,000 objects are listed. */
const MAX_PAGES = 100

/** The backups below the prefix. */
export async function listCopies(
  client: Client,
  prefix: string,
  pageSize: number,
  signal?: AbortSignal,
): Promise<BackupCopy[]> {
  const objects = await listObjects(client, prefix + NAME_START, pageSize, signal)
  return objects.flatMap((object) => copyOf(object, prefix)).sort(byName)
}

/** All objects whose keys begin so, as elements of the answers. */
export async function listObjects(
  { name, askText }: Client,
  start: string,
  pageSize: number,
  signal?: AbortSignal,
): Promise<Element[]> {
  const found: Element[] = []
  let next: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = {
      ...{ 'list-type': '2', prefix: start, 'max-keys': String(pageSize) },
      ...(next !== undefined && { 'continuation-token': next }),
    }
    const root = await parseXml(await askText({ method: 'GET', key: '', query, signal }))
    const [result] = all(root, 'ListBucketResult')
    if (!result) throw answerless(name, 'a list')
    found.push(...all(result, 'Contents'))
    next = textOf(result, 'NextContinuationToken')
    if (textOf(result, 'IsTruncated') !== 'true' || next === undefined) return found
  }
  throw answerless(name, 'the end of the list')
}

function copyOf(object: Element, prefix: string): BackupCopy[] {
  const name = (textOf(object, 'Key') ?? '').slice(prefix.length)
  if (!isBackupName(name)) return []
  return [{ name, bytes: Number(textOf(object, 'Size')), time: Date.parse(textOf(object, 'LastModified') ?? '') }]
}
