import {
  applySyncFilter,
  errors,
  type Arguments,
  type PluginContext,
  type RestError,
  type RestRequest,
} from '../../../kernel/index.ts'
import { validateValue } from '../../requests/arguments/index.ts'
import type { ContentType } from '../content-types/index.ts'
import type { Post } from './post.ts'

/**
 * Returns the arguments that create or change a post, with checks against the site: a template must exist in the theme.
 * The current status and template of a post are always accepted, because clients send back items they have read.
 */
export function checkedArguments(
  args: Arguments,
  use: 'create' | 'update',
  { hooks, services }: PluginContext,
  type: ContentType,
): Arguments {
  const { status, template } = args
  const isStored = async (request: RestRequest, is: (post: Post) => boolean | Promise<boolean>) => {
    if (use === 'create') return false
    const post = await services.posts.get(Number(request.captures['id']), request.scope)
    return post?.type === type.name && (await is(post))
  }
  const checked = { ...args }
  if (status !== undefined) {
    checked['status'] = {
      ...status,
      validate_callback: async (value, request) => {
        const fits = validateValue(value, status, 'status')
        return fits === true || (await isStored(request, (post) => post.status === value)) || fits
      },
    }
  }
  if (template !== undefined) {
    checked['template'] = {
      ...template,
      validate_callback: async (value, request) => {
        const fits = validateValue(value, template, 'template')
        if (fits !== true || value === '') return fits
        const templates = applySyncFilter(hooks.theme_templates, [], type)
        if (templates.includes(value as string)) return true
        const isCurrent = async ({ id }: Post) => value === (await services.posts.template(id, request.scope))
        return (await isStored(request, isCurrent)) || unknownTemplate(templates)
      },
    }
  }
  return checked
}

function unknownTemplate(templates: readonly string[]): RestError {
  const names = templates.length === 0 ? 'none' : templates.join(', ')
  return errors.rest_invalid_param(`The theme has no template with this name. Available templates: ${names}.`)
}
