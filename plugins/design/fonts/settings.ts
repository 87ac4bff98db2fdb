import { errors as kernelErrors, type RestError, type ArgumentSchema } from '../../../kernel/index.ts'
import { namedByRule, sanitizeValue, validateValue } from '../../requests/arguments/index.ts'

/** Settings of a font, with the names of CSS descriptors. */
export type FontSettings = Record<string, unknown>

const TEXT: ArgumentSchema = { type: 'string', maxLength: 500 }

const FAMILY_PROPERTIES: Readonly<Record<string, ArgumentSchema>> = {
  name: { ...TEXT, description: 'Display name of the family.' },
  slug: { ...TEXT, description: 'Unique slug of the family.' },
  fontFamily: { ...TEXT, description: 'Value of the CSS property font-family.' },
  preview: { ...TEXT, description: 'URL of a preview image of the family.', format: 'uri' },
}

const FACE_PROPERTIES: Readonly<Record<string, ArgumentSchema>> = {
  fontFamily: { ...TEXT, description: 'Name of the family in CSS.' },
  fontStyle: { ...TEXT, description: 'Style, such as normal or italic.' },
  fontWeight: { type: ['string', 'integer'], description: 'Weight, or a range of weights.' },
  fontDisplay: {
    type: 'string',
    description: 'Display strategy while the font loads.',
    enum: ['auto', 'block', 'fallback', 'swap', 'optional'],
  },
  src: {
    description: 'URL of the file or name of the form field that contains it, or a list of these.',
    anyOf: [
      { type: 'string', maxLength: 2_000 },
      { type: 'array', items: { type: 'string', maxLength: 2_000 }, maxItems: 10 },
    ],
  },
  fontStretch: { ...TEXT, description: 'Width, such as 75%.' },
  ascentOverride: { ...TEXT, description: 'Value of ascent-override.' },
  descentOverride: { ...TEXT, description: 'Value of descent-override.' },
  fontVariant: { ...TEXT, description: 'Value of font-variant.' },
  fontFeatureSettings: { ...TEXT, description: 'Value of font-feature-settings.' },
  fontVariationSettings: { ...TEXT, description: 'Value of font-variation-settings.' },
  lineGapOverride: { ...TEXT, description: 'Value of line-gap-override.' },
  sizeAdjust: { ...TEXT, description: 'Value of size-adjust.' },
  unicodeRange: { ...TEXT, description: 'Characters the font covers.' },
  preview: { ...TEXT, description: 'URL of a preview image of the face.', format: 'uri' },
}

/** Allowed properties of one kind of settings, and the ones required on creation. */
export interface SettingsForm {
  readonly properties: Readonly<Record<string, ArgumentSchema>>
  readonly required: readonly string[]
}

export const FAMILY: SettingsForm = { properties: FAMILY_PROPERTIES, required: ['name', 'slug', 'fontFamily'] }
export const FACE: SettingsForm = { properties: FACE_PROPERTIES, required: ['fontFamily', 'src'] }

/** Values that browsers and editors assume for settings that a face lacks. */
const FACE_DEFAULTS: Readonly<Record<string, unknown>> = {
  fontFamily: '',
  fontStyle: 'normal',
  fontWeight: '400',
  fontDisplay: 'fallback',
  src: [],
  preview: '',
}

/** Returns the schemas of the settings of a face with their defaults. Stored faces contain only the settings sent. */
export function facePropertiesSchema(): Record<string, ArgumentSchema> {
  const entries = Object.entries(FACE_PROPERTIES).map(([name, schema]) => [
    name,
    Object.hasOwn(FACE_DEFAULTS, name) ? { ...schema, default: FACE_DEFAULTS[name] } : schema,
  ])
  return Object.fromEntries(entries) as Record<string, ArgumentSchema>
}

/** Parses settings from JSON. Returns an argument error if they are invalid. */
export function parseSettings(
  text: string,
  { properties, required }: SettingsForm,
  name: string,
  creating: boolean,
): FontSettings | RestError {
  let settings: unknown
  try {
    settings = JSON.parse(text)
  } catch {
    return kernelErrors.rest_invalid_param(`${name} must be JSON.`)
  }
  const parts = Object.entries(properties).map(([key, part]) => [
    key,
    creating && required.includes(key) ? { ...part, required: true } : part,
  ])
  const schema: ArgumentSchema = {
    type: 'object',
    properties: Object.fromEntries(parts) as Record<string, ArgumentSchema>,
    additionalProperties: false,
  }
  const valid = validateValue(settings, schema, name)
  if (valid !== true) return ruleOf(valid)
  const empty = required.find((key) => {
    const value = (settings as FontSettings)[key]
    return (
      value !== undefined && (Array.isArray(value) ? value.length === 0 : isText(value) && String(value).trim() === '')
    )
  })
  if (empty !== undefined) return kernelErrors.rest_invalid_param(`${name}[${empty}] must not be empty.`)
  return cleanSettings(settings as FontSettings, properties)
}

/** Converts a validation error to an argument error that reports the code of the violated rule. */
function ruleOf(broken: RestError): RestError {
  const { code, message, data, additionalData } = namedByRule(broken)
  const more = additionalData.length > 0 && { additional_data: additionalData }
  return Object.assign(kernelErrors.rest_invalid_param(broken.message), { rule: { code, message, data, ...more } })
}

function cleanSettings(settings: FontSettings, properties: SettingsForm['properties']): FontSettings {
  const clean = (text: unknown) => sanitizeValue(String(text), { type: 'string', format: 'text-field' }) as string
  const found: FontSettings = {}
  for (const name of Object.keys(properties)) {
    const value = Object.hasOwn(settings, name) ? settings[name] : undefined
    if (value === undefined) continue
    if (name === 'src') found[name] = value
    else found[name] = name === 'fontFamily' ? familyInCss(clean(value)) : clean(value)
  }
  return found
}

/** Quotes font names for CSS unless they are a single word. */
export function familyInCss(families: string): string {
  return families
    .split(',')
    .map((family) => family.replaceAll(/["'\\]/g, '').trim())
    .filter((family) => family !== '')
    .map((family) => (/^[a-z-]+$/i.test(family) ? family : `"${family}"`))
    .join(', ')
}

/** Returns a setting as text. @param preset default for a missing setting */
export function textOf(value: unknown, preset = ''): string {
  return isText(value) ? String(value) : preset
}

function isText(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** Returns the key that identifies a face within its family. */
export function faceKey(face: FontSettings): string {
  const setting = (name: string, preset: string) => textOf(face[name], preset)
  const weights: Record<string, string> = { normal: '400', bold: '700' }
  const family = setting('fontFamily', '').replaceAll(/["']/g, '').trim().toLowerCase()
  const weight = setting('fontWeight', '400').trim().toLowerCase()
  return [
    family,
    setting('fontStyle', 'normal').trim().toLowerCase(),
    Object.hasOwn(weights, weight) ? weights[weight] : weight,
    setting('fontStretch', '100%').trim().toLowerCase(),
    setting('unicodeRange', 'U+0-10FFFF').replaceAll(/\s+/g, '').toUpperCase(),
  ].join(';')
}

/** Returns the settings stored in the content of a post, or an empty object. */
export function settingsIn(content: string, { properties }: SettingsForm): FontSettings {
  let stored: unknown
  try {
    stored = JSON.parse(content)
  } catch {
    return {}
  }
  if (typeof stored !== 'object' || stored === null) return {}
  const entries = Object.entries(stored).filter(([name]) => Object.hasOwn(properties, name))
  return Object.fromEntries(entries)
}
