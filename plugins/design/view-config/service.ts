import { OwnedMap } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** How a list is shown: its layout, order, filters and fields. */
export interface View {
  readonly type?: string
  readonly filters?: readonly ViewFilter[]
  readonly sort?: { readonly field: string; readonly direction: 'asc' | 'desc' }
  readonly perPage?: number
  readonly fields?: readonly string[]
  readonly titleField?: string
  readonly mediaField?: string
  readonly descriptionField?: string
  readonly showLevels?: boolean
  readonly layout?: Readonly<Record<string, unknown>>
}

/** What a list is limited to. */
export interface ViewFilter {
  readonly field: string
  readonly operator: string
  readonly value: unknown
  /** Whether the user cannot take it away. */
  readonly isLocked?: boolean
}

/** One of the views that an editor offers of a list. */
export interface NamedView {
  readonly title: string
  readonly slug: string
  readonly view?: View
}

/** How editors list items of a kind, and the form in which they change one. */
export interface ViewConfig {
  readonly default_view: View
  readonly default_layouts: Readonly<Record<string, unknown>>
  readonly view_list: readonly NamedView[]
  readonly form: Readonly<Record<string, unknown>>
}

/** What is shown of what nobody has registered anything for. */
const DEFAULT_VIEW: ViewConfig = {
  default_view: {
    type: 'table',
    filters: [],
    sort: { field: 'title', direction: 'asc' },
    perPage: 20,
    fields: ['author', 'status'],
    titleField: 'title',
  },
  default_layouts: { table: {}, grid: {}, list: {} },
  view_list: [],
  form: {},
}

/** How editors show lists of things, by kind and name. What a plugin registers is removed with it. */
export class ViewConfigs {
  readonly #configs = new OwnedMap<Partial<ViewConfig>>('view config')

  /**
   * Registers parts of how things are shown; what is left out is as usual.
   * @param kind `postType`, `taxonomy`, `root` …
   * @param name such as `page`
   * @throws VIEW_CONFIG_INVALID
   */
  register(kind: string, name: string, config: Partial<ViewConfig>): void {
    if (kind === '' || name === '') throw errors.VIEW_CONFIG_INVALID(kind, name)
    this.#configs.set(JSON.stringify([kind, name]), config, `${kind} ${name}`, true)
  }

  /** How things of a kind are shown. */
  get(kind: string, name: string): ViewConfig {
    return { ...DEFAULT_VIEW, ...this.#configs.get(JSON.stringify([kind, name])) }
  }
}
