import { errors } from './errors.ts'

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }

/** Parses a size such as `50mb` into bytes. @throws EXPORT_SIZE_INVALID */
export function parseSize(text: string): number {
  const [, number, unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?) ?([kmg]?b)?$/i.exec(text.trim()) ?? []
  const bytes = Math.floor(Number(number) * UNITS[unit.toLowerCase()]!)
  if (number === undefined || !(bytes > 0)) throw errors.EXPORT_SIZE_INVALID(text)
  return bytes
}
