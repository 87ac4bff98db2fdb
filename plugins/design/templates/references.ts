import { invalidParam, type PluginContext } from '../../../kernel/index.ts'
import { TEMPLATE_PART_AREAS } from '../themes/index.ts'
import { idIn } from './controller.ts'
import { errors } from './errors.ts'
import type { Templates } from './service.ts'

/**
 * Registers the sources of templates, of their type, of their theme, which is the active one or the one that pages use, and
 * of the area of a template part. The template in the URL is looked up before the references of its change.
 */
export function registerReferences({ branding, services }: PluginContext, templates: Templates): void {
  const { resources, permalinks, terms, themes } = services
  for (const kind of ['template', 'template_part'] as const)
    resources.registerReference(kind, async (id, { scope }) =>
      (await templates.get(idIn(id), kind, scope)) === undefined ? errors.rest_template_not_found() : null,
    )
  resources.registerReference('template_type', (name, _request, argument, type) =>
    name === type ? null : invalidParam(argument, `Templates of this route have the type ${type}.`),
  )
  resources.registerReference('template_theme', async (theme) =>
    (await themes.inUse(String(theme))) === undefined ? errors.rest_template_insert_error() : null,
  )
  resources.registerReference('template_part_area', async (value, { scope }, argument) => {
    const area = permalinks.slugify(String(value))
    if (TEMPLATE_PART_AREAS.some((one) => one.area === area)) return null
    // Areas of files of the theme, and stored ones: imported template parts can have areas of other themes.
    if ((await templates.all('template_part', scope)).some((part) => part.area === area)) return null
    const taxonomy = branding.typeName('template_part_area')
    const { items } = await terms.query({ taxonomy, slug: [area], limit: 1 }, scope)
    return items.length > 0 ? null : invalidParam(argument, `There is no area "${area}" for template parts.`)
  })
}
