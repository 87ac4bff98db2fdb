import { html, type AdminView, type PluginContext, type RequestCache } from '../../../public.ts'
import type { Dialect } from '../dialect.ts'
import { RANK_MATH_PREFIX, YOAST_PREFIX } from '../meta-keys.ts'
import { listOf } from '../options.ts'
import { fieldsHtml, sentValue, type FormField } from './fields.ts'

/** Field that the panel sends, so that forms without the panel change nothing. */
const MARK = 'seo_panel'
const ROBOTS_KEY = `${RANK_MATH_PREFIX}robots`
const NOINDEX = 'noindex'

/** Meta keys of the fields of a post, by dialect. */
const KEYS = {
  yoast: {
    seo_title: `${YOAST_PREFIX}title`,
    seo_description: `${YOAST_PREFIX}metadesc`,
    seo_noindex: `${YOAST_PREFIX}meta-robots-noindex`,
    seo_canonical: `${YOAST_PREFIX}canonical`,
    seo_image: `${YOAST_PREFIX}opengraph-image`,
  },
  'rank-math': {
    seo_title: `${RANK_MATH_PREFIX}title`,
    seo_description: `${RANK_MATH_PREFIX}description`,
    seo_noindex: ROBOTS_KEY,
    seo_canonical: `${RANK_MATH_PREFIX}canonical_url`,
    seo_image: `${RANK_MATH_PREFIX}facebook_image`,
  },
} as const

/** Adds a panel with the texts for search engines to the forms of posts of all types with pages. */
export function addPanels({ services }: PluginContext, dialect: Dialect): void {
  const { admin, contentTypes, meta } = services
  const keys = KEYS[dialect]
  const read = async (id: number, scope: RequestCache) => {
    const values = id === 0 ? new Map<string, readonly unknown[]>() : await meta.registeredValues('post', id, scope)
    return (key: string) => values.get(key)?.[0]
  }
  const fieldsOf = async (view: AdminView, id: number): Promise<FormField[]> => {
    const valueOf = await read(id, view.request.scope)
    const text = (key: string) => {
      const value = valueOf(key)
      return typeof value === 'string' ? value : ''
    }
    const isHidden =
      dialect === 'yoast'
        ? text(keys.seo_noindex) === '1'
        : listOf({ robots: valueOf(ROBOTS_KEY) }, 'robots')?.includes(NOINDEX) === true
    return [
      { name: 'seo_title', label: view.t('Title for search engines'), value: text(keys.seo_title), kind: 'text' },
      {
        name: 'seo_description',
        label: view.t('Description for search engines'),
        value: text(keys.seo_description),
        kind: 'long',
      },
      { name: 'seo_noindex', label: view.t('Hide from search engines'), value: isHidden ? '1' : '', kind: 'switch' },
      { name: 'seo_canonical', label: view.t('Canonical URL'), value: text(keys.seo_canonical), kind: 'url' },
      { name: 'seo_image', label: view.t('URL of the image for sharing'), value: text(keys.seo_image), kind: 'url' },
    ]
  }
  for (const { name, viewable } of contentTypes.all()) {
    if (!viewable || name === 'attachment') continue
    admin.addPanel(name, {
      name: 'seo',
      title: 'Search engines',
      show: async (view, item) => {
        const fields = await fieldsOf(view, Number(item?.['id'] ?? 0))
        return html`<input type="hidden" name="${MARK}" value="1" />${fieldsHtml(fields, 'panel')}`
      },
      save: async (view, item, form) => {
        if (form[MARK] === undefined) return
        const id = Number(item['id'])
        const { scope } = view.request
        const valueOf = await read(id, scope)
        const values: Record<string, readonly unknown[]> = {}
        for (const field of await fieldsOf(view, id)) {
          const sent = sentValue(form, field)
          if (sent === field.value) continue
          const key = keys[field.name as keyof typeof keys]
          if (key !== ROBOTS_KEY) values[key] = sent === '' ? [] : [sent]
          else values[key] = robotsWith(listOf({ robots: valueOf(key) }, 'robots') ?? [], sent === '1')
          // The ID of the former image would take precedence.
          if (field.name === 'seo_image') values[`${key}${dialect === 'yoast' ? '-id' : '_id'}`] = []
        }
        if (Object.keys(values).length > 0) await meta.writeAll('post', id, values, scope)
      },
    })
  }
}

/** The stored values for a list of robots. */
function robotsWith(list: readonly string[], isHidden: boolean): readonly unknown[] {
  const others = list.filter((one) => one !== NOINDEX && one !== 'index')
  if (!isHidden && others.length === 0) return []
  return [[isHidden ? NOINDEX : 'index', ...others]]
}
