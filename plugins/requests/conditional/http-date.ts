const MONTH = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
const TIME = String.raw`\d\d:\d\d:\d\d`

/** The three date formats of RFC 9110, 5.6.7: the current one and two obsolete ones. */
const IMF_FIXDATE = new RegExp(String.raw`^[A-Z][a-z]{2}, \d\d (?:${MONTH}) \d{4} ${TIME} GMT$`)
const RFC_850 = new RegExp(String.raw`^[A-Z][a-z]{5,8}, \d\d-(?:${MONTH})-\d\d ${TIME} GMT$`)
const ASCTIME = new RegExp(String.raw`^[A-Z][a-z]{2} (?:${MONTH}) [ \d]\d ${TIME} \d{4}$`)

/** Parses the date of a header. @returns milliseconds since 1970, or null if the text is not a valid date */
export function parseHttpDate(text: string | null): number | null {
  const date = text?.trim() ?? ''
  const isDate = IMF_FIXDATE.test(date) || RFC_850.test(date)
  if (!isDate && !ASCTIME.test(date)) return null
  const milliseconds = Date.parse(isDate ? date : `${date} GMT`)
  return Number.isNaN(milliseconds) ? null : milliseconds
}
