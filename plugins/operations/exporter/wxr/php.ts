import { looksSerialised, readValue } from '../../importer/index.ts'
import { cleanText } from '../../../../kernel/index.ts'
import { serializePhp } from '../../../library/php/index.ts'

/** A row of a meta table. */
interface StoredMeta {
  readonly value: string
  /** 1 if `value` is JSON text. */
  readonly json: number
}

/**
 * Returns a meta value as export files contain it: scalars as plain text, lists and objects serialized by PHP. Text
 * that an import would take for serialized is serialized as text, as WordPress does.
 */
export function exportedValue({ value, json }: StoredMeta): string {
  if (json === 1) return serializePhp(JSON.parse(value), xmlText)
  const text = xmlText(value).replace(/\r\n?/g, '\n')
  return looksSerialised(text) && readValue(text) !== text ? serializePhp(text, xmlText) : text
}

/** Returns a text without the characters that XML or an import does not accept. */
export function xmlText(text: string): string {
  return cleanText(text).replace(/[\uFFFE\uFFFF]/g, '')
}
