import type { PluginContext, RequestCache, RestRequest } from '../../../kernel/index.ts'
import type { TimeZone, Selection } from '../../resources/index.ts'
import { shownDates } from '../../content/posts/index.ts'
import type { Template } from './service.ts'

/** Returns the requested fields of a template. */
export async function templateData(
  { branding, services }: PluginContext,
  template: Template,
  selection: Selection,
  { scope }: RestRequest,
): Promise<Record<string, unknown>> {
  const { post, content, title } = template
  const zone = await services.options.get<TimeZone>('timezone', 'UTC')
  const dates = post === null ? null : shownDates(post, zone)
  const authorName = selection.has('author_text') ? await authorText(services, template, scope) : ''
  return selection.read({
    id: () => template.id,
    theme: () => template.theme,
    content: () =>
      selection.parts('content', { raw: content, block_version: services.contentRendering.blockVersion(content) }),
    slug: () => template.slug,
    source: () => template.source,
    origin: () => template.origin,
    type: () => branding.typeName(template.kind),
    description: () => template.description,
    title: () =>
      selection.parts('title', {
        raw: title,
        rendered: post === null ? title : services.contentRendering.title({ ...post, title }),
      }),
    status: () => template.status,
    [`${branding.word}_id`]: () => post?.id ?? 0,
    has_theme_file: () => template.hasThemeFile,
    is_custom: () => template.isCustom,
    author: () => post?.author_id ?? 0,
    area: () => template.area,
    modified: () => dates?.modified ?? null,
    date: () => dates?.date ?? null,
    author_text: () => authorName,
    original_source: () => originalSource(template),
  })
}

/** Returns the original author of a template: changed copies of theme files still belong to the theme. */
function originalSource({ source, origin, hasThemeFile, post }: Template): 'theme' | 'site' | 'user' {
  if (source === 'theme' || (hasThemeFile && (origin === null || origin === 'theme'))) return 'theme'
  return post?.author_id === 0 ? 'site' : 'user'
}

async function authorText(
  { options, themes, users }: PluginContext['services'],
  template: Template,
  scope: RequestCache,
): Promise<string> {
  const source = originalSource(template)
  if (source === 'theme') return (await themes.get(template.theme))?.name ?? template.theme
  if (source === 'site') return String(await options.get('title', ''))
  return (await users.get(template.post!.author_id, scope))?.name ?? ''
}
