const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', hellip: '…', nbsp: '\u00a0' }

/** HTML as plain text: without its elements and the spaces around, and its common entities as characters. */
export function plainText(html: string): string {
  return html
    .replace(/<[a-z/!][^<>]*>/gi, '')
    .replace(/&(?:(amp|lt|gt|quot|hellip|nbsp)|#(\d{1,7}));/g, (whole, name: string | undefined, code: string) => {
      if (name !== undefined) return NAMED[name]!
      return Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : whole
    })
    .trim()
}
