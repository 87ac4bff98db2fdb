import { OwnedMap } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** Display settings of a list: layout, order, filters and fields. */
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

/** A filter of a list. */
export interface ViewFilter {
  readonly field: string
  readonly operator: string
  readonly value: unknown
  /** Whether the user cannot remove it. */
  readonly isLocked?: boolean
}

/** A named view that editors offer for a list. */
export interface NamedView {
  readonly title: string
  readonly slug: string
  readonly view?: View
}

/** How editors list items of a kind, and the form to edit one. */
export interface ViewConfig {
  readonly default_view: View
  readonly default_layouts: Readonly<Record<string, unknown>>
  readonly view_list: readonly NamedView[]
  readonly form: Readonly<Record<string, unknown>>
}

/** Default for lists without a registered configuration. */
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

/**
 * The registry of view configurations by kind and name. They are removed together with the plugin that registered them.
 */
export class ViewConfigs {
  readonly #configs = new OwnedMap<Partial<ViewConfig>>('view config')

  /**
   * Registers a view configuration; missing parts use the defaults.
   * @param kind `postType`, `taxonomy`, `root` …
   * @param name such as `page`
   * @throws VIEW_CONFIG_INVALID
   */
  register(kind: string, name: string, config: Partial<ViewConfig>): void {
    if (kind === '' || name === '') throw errors.VIEW_CONFIG_INVALID(kind, name)
    this.#configs.set(JSON.stringify([kind, name]), config, `${kind} ${name}`, true)
  }

  /** Returns the view configuration of a kind and name. */
  get(kind: string, name: string): ViewConfig {
    return { ...DEFAULT_VIEW, ...this.#configs.get(JSON.stringify([kind, name])) }
  }
}
