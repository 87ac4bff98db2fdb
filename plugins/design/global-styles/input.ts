import type { CurrentUser, PluginContext, RestRequest } from '../../../kernel/index.ts'
import type { GivenPost, Post } from '../../content/posts/index.ts'
import { errors } from './errors.ts'
import { hasMarkup, safeCss, safeValue } from './safe-css.ts'
import { valueAt, isTree, knownSettings, knownStyles, type Tree } from './theme-json.ts'
import { contentOf, stylesIn } from './user-styles.ts'

/** Converts request parameters to changes of a styles post. */
export class StylesInput {
  readonly #services: PluginContext['services']

  constructor(services: PluginContext['services']) {
    this.#services = services
  }

  /** @throws rest_custom_css_illegal_markup, rest_cannot_edit_css */
  changeOf(request: RestRequest, post: Post): GivenPost {
    const before = stylesIn(post.content)
    const change: GivenPost = {}
    const parameter = (name: string) => {
      const value = request.get(name)
      return isTree(value) ? value : undefined
    }
    const [styles, settings] = [parameter('styles'), parameter('settings')]
    if (styles !== undefined || settings !== undefined) {
      change.content = contentOf({
        styles: styles === undefined ? before.styles : this.#styles(styles, before.styles, request.user),
        settings: settings === undefined ? before.settings : knownSettings(settings),
      })
    }
    const title = request.get('title')
    const text = typeof title === 'string' ? title : valueAt(title, 'raw')
    if (typeof text === 'string') change.title = text
    return change
  }

  #styles(input: Tree, before: Tree, user: CurrentUser): Tree {
    const styles = knownStyles(input)
    const may = (capability: string) => this.#services.capabilities.can(user, capability)
    const css = cssIn(styles)
    if (css.some(hasMarkup)) throw errors.rest_custom_css_illegal_markup()
    if (!may('edit_css') && css.join('\n') !== cssIn(before).join('\n')) throw errors.rest_cannot_edit_css()
    return may('unfiltered_html') ? styles : (withoutUnsafeValues(styles) as Tree)
  }
}

/** Returns all custom CSS in the styles. */
function cssIn(styles: unknown): string[] {
  if (!isTree(styles)) return []
  return Object.entries(styles).flatMap(([name, part]) =>
    name === 'css' ? (typeof part === 'string' ? [part] : []) : cssIn(part),
  )
}

/** Removes unsafe values from styles. */
function withoutUnsafeValues(value: unknown, name = ''): unknown {
  if (name === 'css') return safeCss(value)
  if (typeof value === 'string') return value.startsWith('var:') ? value : (safeValue(value) ?? undefined)
  if (Array.isArray(value)) return undefined
  if (!isTree(value)) return value
  const parts = Object.entries(value).map(([key, part]) => [key, withoutUnsafeValues(part, key)] as const)
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined))
}
