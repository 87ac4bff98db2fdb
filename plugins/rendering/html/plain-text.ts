const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', hellip: '…', nbsp: '\u00a0' }

/** Converts HTML to plain text: removes tags and surrounding white space, and decodes common entities. */
export function plainText(html: string): string {
  return html
    .replace(/<[a-z/!][^<>]*>/gi, '')
    .replace(/&(?:(amp|lt|gt|quot|hellip|nbsp)|#(\d{1,7}));/g, (whole, name: string | undefined, code: string) => {
      if (name !== undefined) return NAMED[name]!
      return Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : whole
    })
    .trim()
}
