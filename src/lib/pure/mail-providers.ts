// Whose addresses say nothing about the company of a person: providers of mail for everybody.

const NAMES = new Set(
  `gmail googlemail outlook hotmail live msn yahoo ymail icloud me mac aol gmx web t-online freenet proton protonmail pm mail
  email yandex mailbox posteo tutanota tuta fastmail zoho hey orange wanadoo free laposte sfr bbox numericable libero tiscali virgilio alice
  seznam centrum wp o2 onet interia bluewin hispeed qq 163 126 sina naver daum hanmail comcast verizon att sbcglobal btinternet
  sky virginmedia telefonica telenet skynet ziggo kpnmail planet xs4all chello aon telia bigpond optusnet rediffmail uol bol terra`.split(
    /\s+/,
  ),
)

/** Parts of hosts below which names are given out, as in example.co.uk. */
const SECOND_LEVEL = new Set('co com org net ac gov edu gob'.split(' '))

/** The part of a host that is a name: "northwind" of mail.northwind.co.uk. */
export function nameOfHost(host: string): string {
  const labels = host.split('.').slice(0, -1)
  const isBelow = labels.length > 1 && SECOND_LEVEL.has(labels.at(-1) as string)
  return labels.at(isBelow ? -2 : -1) ?? host
}

/** Whether everybody can have an address there. */
export const isMailProvider = (host: string): boolean => NAMES.has(nameOfHost(host))
