// A picture in a text is a file of the same message, by its name: ![a label](cid:image.png).

/** What stands in a text for a picture that is a file with this name. */
export const pictureText = (name: string): string =>
  `![${name.replace(/[[\]\\]/g, '')}](cid:${encodeURIComponent(name).replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'))})`

/** The text where no picture can be shown: their names stand for them. */
export const withoutPictures = (text: string): string =>
  text.replace(/!\[([^[\]]{0,500})\]\(cid:[^\s()<>]{1,800}\)/g, '[$1]')
