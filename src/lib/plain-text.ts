/**
 * The text of a file that a person has saved: some editors put a mark in front of it (BOM), and spaces or line breaks at
 * its end are seen by nobody.
 */
export const plainText = (text: string): string => text.replace(/^\uFEFF/, '').replace(/[ \t\r\n]+$/, '')
