/** A whole number from 0 to 2^32 - 1; 0 for anything else. */
export function integer(text: string): number {
  const value = signed(text)
  return value >= 0 && value < 2 ** 32 ? value : 0
}

export function signed(text: string): number {
  const value = /^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : 0
  return value === 0 ? 0 : value
}

/** A date, `''` for zeros and for what is none. */
export function date(text: string): string {
  const value = text.trim()
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value) && !value.startsWith('0000') ? value : ''
}
