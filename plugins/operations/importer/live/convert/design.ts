import { exportedNames } from '../../../../library/branding/index.ts'
import { FONT_FACE_FILE_KEY } from '../../../../content/meta-keys.ts'
import { slugify } from '../../../../resources/index.ts'
import type { WxrItem, WxrItemTerm } from '../../wxr/types.ts'
import { idOf, listOf, objectOf, rawOf, text, type OldObject } from '../values.ts'
import { commonItem, emptyItem, type Conversion } from './conversion.ts'

const { typePrefix } = exportedNames

/** Converts a changed template or template part; null for an unchanged file of the theme. */
export function templateItem(
  object: OldObject,
  kind: 'template' | 'template_part',
  conversion: Conversion,
  suggestedKey: string,
): WxrItem | null {
  const id = idOf(object[`${conversion.word}_id`])
  if (object['source'] !== 'custom' || id === 0) return null
  const item = commonItem(object, `${typePrefix}${kind}`, conversion)
  const area = text(object['area'])
  const origin = text(object['origin'])
  const isSuggested = kind === 'template' && object['is_custom'] === false && object['has_theme_file'] !== true
  return {
    ...item,
    id,
    status: item.status || 'publish',
    content: rawOf(object['content']),
    excerpt: text(object['description']),
    date: item.date || item.modified,
    dateGmt: item.dateGmt,
    terms: [
      themeTerm(text(object['theme'])),
      ...(kind === 'template_part' && area !== ''
        ? [{ taxonomy: `${typePrefix}template_part_area`, slug: area, name: area }]
        : []),
    ],
    meta: [
      ...(origin === '' ? [] : [{ key: 'origin', value: origin }]),
      ...(isSuggested ? [{ key: suggestedKey, value: '1' }] : []),
    ],
  }
}

/** Converts the styles of the user; null without styles. */
export function globalStylesItem(object: OldObject, stylesheet: string): WxrItem | null {
  const [settings, styles] = [objectOf(object['settings']), objectOf(object['styles'])]
  const id = idOf(object['id'])
  if (id === 0 || Object.keys(settings).length + Object.keys(styles).length === 0) return null
  return {
    ...emptyItem(),
    id,
    type: `${typePrefix}global_styles`,
    status: 'publish',
    slug: `global-styles-${slugify(stylesheet)}`,
    title: rawOf(object['title']) || 'Custom Styles',
    content: JSON.stringify({ styles, settings, isGlobalStylesUserThemeJSON: true, version: 3 }),
    terms: [themeTerm(stylesheet)],
  }
}

function themeTerm(stylesheet: string): WxrItemTerm {
  return { taxonomy: `${typePrefix}theme`, slug: slugify(stylesheet), name: stylesheet }
}

/** Converts a font family. */
export function fontFamilyItem(object: OldObject): WxrItem {
  const { name, slug, fontFamily, preview } = objectOf(object['font_family_settings'])
  return {
    ...emptyItem(),
    id: idOf(object['id']),
    type: `${typePrefix}font_family`,
    status: 'publish',
    slug: text(slug),
    title: text(name),
    content: JSON.stringify({ fontFamily: text(fontFamily), preview: text(preview) }),
  }
}

/** Converts a font face. @param family ID of its family on the old site */
export function fontFaceItem(object: OldObject, family: number): WxrItem {
  const settings = objectOf(object['font_face_settings'])
  const title = [settings['fontFamily'], settings['fontStyle'], settings['fontWeight']]
    .map(text)
    .join(';')
    .toLowerCase()
  const files = [settings['src']].flat().flatMap((source) => fontFile(text(source)))
  return {
    ...emptyItem(),
    id: idOf(object['id']),
    type: `${typePrefix}font_face`,
    status: 'publish',
    slug: slugify(title),
    title,
    content: JSON.stringify(settings),
    parent: family,
    meta: files.map((value) => ({ key: FONT_FACE_FILE_KEY, value })),
  }
}

/** Path of a font file below the uploads folder, if its URL is there. */
function fontFile(url: string): string[] {
  const path = /\/uploads\/(?:sites\/\d{1,10}\/)?(fonts\/[\w.-]+)$/.exec(url)?.[1]
  return path === undefined ? [] : [path]
}

/** IDs of the faces of a font family. */
export function facesOf(object: OldObject): unknown[] {
  return listOf(object['font_faces'])
}
