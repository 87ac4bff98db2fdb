import { isObject, currentOwner, shown, type RestError } from '../../../kernel/index.ts'
import { hint } from '../suggestions/index.ts'

/** Type of a key's value in a definition; `null` is combined with another type. */
export type Shape = 'text' | 'flag' | 'number' | 'function' | 'list' | 'texts' | 'object' | 'null' | 'anything'

/** Shape of each key of a definition. The compiler requires all keys. */
export type Shapes<T> = Readonly<Record<keyof Required<T>, Shape | readonly Shape[]>>

const IS: Readonly<Record<Shape, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  flag: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' && !Number.isNaN(value),
  function: (value) => typeof value === 'function',
  list: Array.isArray,
  texts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  object: isObject,
  null: (value) => value === null,
  anything: () => true,
}

const NAMES: Readonly<Record<Shape, string>> = {
  text: 'a text',
  flag: 'true or false',
  number: 'a number',
  function: 'a function',
  list: 'a list',
  texts: 'a list of texts',
  object: 'an object',
  null: 'null',
  anything: 'anything',
}

/**
 * Returns the mistake in a definition, worded to follow its name: `has the unknown key "pubic": did you mean public?`,
 * `has public: "yes": it must be true or false`. Returns null if it is valid. Keys that begin with `x-` are custom.
 * @param synonyms correct keys by their names in other systems
 */
export function shapeMistake<T>(
  definition: unknown,
  shapes: Shapes<T>,
  synonyms: Readonly<Record<string, string>> = {},
): string | null {
  if (!isObject(definition)) return `is ${shown(definition)}: it must be an object`
  const unknown = unknownKey(definition, shapes, synonyms)
  if (unknown !== null) return unknown
  for (const [key, value] of Object.entries(definition)) {
    if (value === undefined || key.startsWith('x-')) continue
    const fitting = [shapes[key as keyof T]].flat() as Shape[]
    if (fitting.some((shape) => IS[shape](value))) continue
    return `has ${key}: ${shown(value)}: it must be ${fitting.map((shape) => NAMES[shape]).join(', or ')}`
  }
  return null
}

/**
 * Throws an error for a mistake in the registration of a third-party plugin. Default plugins are not checked here, but
 * by tests.
 */
export function checkRegistration(
  mistakeIn: () => string | null,
  errorOf: (plugin: string, mistake: string) => RestError,
): void {
  const { name, trusted } = currentOwner()
  if (trusted) return
  const mistake = mistakeIn()
  if (mistake !== null) throw errorOf(name, mistake)
}

/**
 * Returns the mistake in the keys of a definition, worded to follow its name: `has the unknown key "shema": did you
 * mean schema?`. Returns null if all are known. Keys that begin with `x-` are custom.
 * @param keys valid keys
 * @param synonyms correct keys by their names in other systems
 */
export function unknownKey(
  definition: object,
  keys: Readonly<Record<string, unknown>>,
  synonyms: Readonly<Record<string, string>> = {},
): string | null {
  const unknown = Object.keys(definition).find((key) => !Object.hasOwn(keys, key) && !key.startsWith('x-'))
  if (unknown === undefined) return null
  return `has the unknown key "${unknown}"${hint(unknown, Object.keys(keys), synonyms)}`
}
