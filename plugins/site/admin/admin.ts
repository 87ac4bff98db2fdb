import FindMyWay from 'find-my-way'
import {
  currentOwner,
  derived,
  OwnedList,
  OwnedMap,
  type Awaitable,
  type PluginContext,
  type SitePage,
} from '../../../kernel/index.ts'
import type { Catalog } from '../../foundation/translations/index.ts'
import type { PageHtml } from '../../library/markup/index.ts'
import { doNotKeep } from '../../library/caching/index.ts'
import { errors } from './errors.ts'
import type { AdminView } from './frame/view.ts'

/** What a page of the admin shows. */
export interface AdminContent {
  /** Heading and title; by default the title of the page. */
  readonly title?: string
  /** What stands below the heading. */
  readonly main: PageHtml
  readonly status?: number
  /** Buttons and links beside the heading. */
  readonly beside?: PageHtml
  /** Modules of the page beside its own, as in `AdminPage`. */
  readonly scripts?: readonly string[]
  readonly styles?: readonly string[]
  /** Sources that this page needs beside those of the admin, by directive of its Content-Security-Policy. */
  readonly sources?: Readonly<Record<string, readonly string[]>>
}

/** What a page responds with: content in the frame of the admin, or a response of its own, such as a redirect or a file. */
export type AdminAnswer = AdminContent | SitePage

/** Handles a request for a page of the admin. A `RestError` that it throws becomes a page that says what is wrong. */
export type AdminHandler = (view: AdminView) => Awaitable<AdminAnswer>

/** What a page does. */
export interface PageHandlers {
  readonly show: AdminHandler
  /**
   * What forms on the page may ask for, by the value of their field `do` (`save` where they have none). The nonce has been
   * checked; redirect when it is done.
   */
  readonly actions?: Readonly<Record<string, AdminHandler>>
}

/** A page of the admin: with what it does, or with what loads that when somebody opens it. */
export type AdminPage = PagePlace & (PageHandlers | { readonly load: () => Promise<PageHandlers> })

/** Where a page is, and for whom. */
export interface PagePlace {
  /** Below the admin's URL, with named parts: `guestbook`, `content/:type/:id`. */
  readonly path: string
  /** In English; a key of the catalog of texts. */
  readonly title: string
  /** What a user needs to open it: a capability, or a function that says it. Everybody who is logged in may without one. */
  readonly capability?: string | ((view: AdminView) => Awaitable<boolean>)
  /** Its entry in the menu, for those who may open it. */
  readonly menu?: Pick<MenuEntry, 'position'> & Partial<MenuEntry>
  /** Modules and style sheets of the page: a name of `addAssets` and a file of it, `guestbook/list.js`. */
  readonly scripts?: readonly string[]
  readonly styles?: readonly string[]
  /** Whether its forms may have files. */
  readonly uploads?: boolean
}

/** An entry of the menu. */
export interface MenuEntry {
  /** In English; a key of the catalog of texts. */
  readonly label: string
  /** Below the admin's URL, `guestbook`, or a whole URL. */
  readonly href: string
  /** Where it stands among others, from 0 (the dashboard) to 100; content is at 10 to 39, looks at 40, users at 60, settings at 70. */
  readonly position: number
  /** The path of the entry that it stands below. */
  readonly under?: string
  /** How many things wait there, shown beside the label. */
  readonly count?: number
}

/** A column of a list of the admin. */
export interface ListColumn<T = Readonly<Record<string, unknown>>> {
  readonly name: string
  /** In English. */
  readonly label: string
  /** @param item as the REST API has it in the context `edit` */
  readonly cell: (item: T, view: AdminView) => PageHtml | string | number | null
  /** What the list is ordered by when this column is chosen: a value of the route's `orderby`. */
  readonly orderby?: string
}

/** A box on a page of the admin: the dashboard, or the form of a post, term or user. */
export interface Panel {
  readonly name: string
  /** In English. */
  readonly title: string
  readonly capability?: string
  /** @param item what the page is about, as the REST API has it in the context `edit`; null on the dashboard and for what is new */
  readonly show: (view: AdminView, item: Readonly<Record<string, unknown>> | null) => Awaitable<PageHtml | null>
  /**
   * Takes what the fields of the panel say, once the rest is stored. On the dashboard it takes the panel's own forms, which
   * have its name in their field `panel`.
   * @param item what the page is about; an empty object on the dashboard
   * @param form the whole form, by names of fields
   */
  readonly save?: (
    view: AdminView,
    item: Readonly<Record<string, unknown>>,
    form: Readonly<Record<string, unknown>>,
  ) => Awaitable<void>
}

/** What a plugin has added, and which one. */
export type PluginPart<T> = T & { readonly plugin: string }

/** Gives entries of the menu for who looks at it. */
export type MenuEntries = (view: AdminView) => Awaitable<readonly MenuEntry[]>

/** A page with the named parts of its path. */
export interface OpenedPage {
  readonly page: AdminPage
  readonly params: Readonly<Record<string, string>>
}

const PATH = /^(?:[a-z0-9][a-z0-9-]*|:[a-z]+)(?:\/(?:[a-z0-9][a-z0-9-]*|:[a-z]+))*$/
const NAME = /^[a-z0-9][a-z0-9_-]*$/

/** What the admin consists of: pages, menu, lists, panels, files and words. Whatever a plugin adds is removed with it. */
export class Admin {
  readonly #plugin: PluginContext
  readonly #pages = new OwnedMap<AdminPage>('admin page')
  readonly #assets = new OwnedMap<string>('files of the admin')
  readonly #columns = new OwnedList<{ list: string; column: PluginPart<ListColumn> }>('column of the admin')
  readonly #panels = new OwnedList<{ place: string; panel: PluginPart<Panel> }>('panel of the admin')
  readonly #menus = new OwnedList<{ entries: MenuEntries; plugin: string }>('menu entry of the admin')
  readonly #router = derived(this.#pages, () => routerOf([...this.#pages].map(([, page]) => page)))

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /**
   * Adds a page, which takes the place of another of the same path.
   * @throws ADMIN_PAGE_INVALID
   */
  addPage(page: AdminPage): void {
    const { path } = page
    if (path !== '' && !PATH.test(path)) throw errors.ADMIN_PAGE_INVALID(path, 'its path must be like "guestbook/:id"')
    const first = path.split('/', 1)[0]
    if (first === ASSETS) throw errors.ADMIN_PAGE_INVALID(path, `"${ASSETS}" is where files are`)
    if (!isText(page.title)) throw errors.ADMIN_PAGE_INVALID(path, 'it needs a title')
    if (!isFunction('show' in page ? page.show : page.load))
      throw errors.ADMIN_PAGE_INVALID(path, 'it needs show or load')
    this.#pages.set(path, page, path, true)
  }

  /**
   * Adds files that pages load: scripts, styles, pictures. They are there for everybody.
   * @param name of the plugin
   * @param folder path of the folder that has them
   */
  addAssets(name: string, folder: string): void {
    if (!NAME.test(name)) throw errors.ADMIN_ASSETS_INVALID(name, 'they need a name of small letters, digits and "-"')
    this.#assets.set(name, folder)
  }

  /**
   * Adds a column to a list.
   * @param list a content type, a taxonomy, `comments`, `users` or `media`
   * @throws ADMIN_PART_INVALID
   */
  addColumn(list: string, column: ListColumn): void {
    const name = `${list}: ${column.name}`
    if (!isText(column.name) || !isText(column.label))
      throw errors.ADMIN_PART_INVALID('column', name, 'it needs a name and a label')
    if (!isFunction(column.cell)) throw errors.ADMIN_PART_INVALID('column', name, 'it needs a function cell')
    this.#columns.add({ list, column: { ...column, plugin: currentOwner().name } }, name)
  }

  /**
   * Adds a panel to a page.
   * @param place `dashboard`, a content type, a taxonomy or `user`
   * @throws ADMIN_PART_INVALID
   */
  addPanel(place: string, panel: Panel): void {
    const name = `${place}: ${panel.name}`
    if (!isText(panel.name) || !isText(panel.title))
      throw errors.ADMIN_PART_INVALID('panel', name, 'it needs a name and a title')
    if (!isFunction(panel.show)) throw errors.ADMIN_PART_INVALID('panel', name, 'it needs a function show')
    this.#panels.add({ place, panel: { ...panel, plugin: currentOwner().name } }, name)
  }

  /**
   * Adds entries to the menu that are no page of the plugin, or not the same for everybody.
   * @throws ADMIN_PART_INVALID
   */
  addMenu(entries: MenuEntries): void {
    if (!isFunction(entries)) throw errors.ADMIN_PART_INVALID('menu', currentOwner().name, 'it needs a function')
    this.#menus.add({ entries, plugin: currentOwner().name })
  }

  /**
   * Adds translations, as `services.translations.add()` does.
   * @param language `de`, or with a country `pt-BR`
   * @param catalog by English text
   */
  addWords(language: string, catalog: Catalog): void {
    this.#plugin.services.translations.add(language, catalog)
  }

  /** URL of the page where something is edited. @param type a content type: `post` */
  editUrl(type: string, id: number): string {
    doNotKeep('a link to the admin is for one user')
    return this.#plugin.urls.site(`${this.#plugin.branding.adminPath}content/${type}/${id}`)
  }

  /** The page of a path below the admin's URL. */
  find(path: string): OpenedPage | null {
    const found = this.#router().find('GET', `/${path}`)
    if (found === null) return null
    return { page: found.store as AdminPage, params: found.params as Record<string, string> }
  }

  /** The folder of files of a name. */
  folderOf(name: string): string | undefined {
    return this.#assets.get(name)
  }

  /** All pages, in the order of their registration. */
  pages(): AdminPage[] {
    return [...this.#pages].map(([, page]) => page)
  }

  /** What gives entries of the menu beside pages. */
  menus(): { entries: MenuEntries; plugin: string }[] {
    return [...this.#menus]
  }

  /** The columns that plugins have added to a list. */
  columns(list: string): PluginPart<ListColumn>[] {
    return [...this.#columns].flatMap((one) => (one.list === list ? [one.column] : []))
  }

  /** The panels that plugins have added to a page. */
  panels(place: string): PluginPart<Panel>[] {
    return [...this.#panels].flatMap((one) => (one.place === place ? [one.panel] : []))
  }
}

const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isFunction = (value: unknown) => typeof value === 'function'

/** First part of the paths of files. */
export const ASSETS = 'assets'

function routerOf(pages: readonly AdminPage[]) {
  const router = FindMyWay({ maxParamLength: 500 })
  for (const page of pages) router.on('GET', `/${page.path}`, () => undefined, page)
  return router
}
