import { renderSVG, renderUnicodeCompact } from 'uqr'

/** A QR code as a picture: always dark on light, since not every phone reads the opposite. */
export const qrSvg = (text: string): string =>
  renderSVG(text, { border: 3, pixelSize: 4, whiteColor: '#fff', blackColor: '#262320' })

/** A QR code for a terminal, two rows in a line. */
export const qrText = (text: string): string => renderUnicodeCompact(text, { border: 2 })
