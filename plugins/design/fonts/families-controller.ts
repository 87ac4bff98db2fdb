import {
  errors as kernelErrors,
  type Arguments,
  type ArgumentSchema,
  type Links,
  type PluginContext,
  type RestError,
  type RestRequest,
} from '../../../kernel/index.ts'
import { validateValue } from '../../requests/arguments/index.ts'
import {
  SCHEMA_DRAFT,
  type ItemSchema,
  type ResourceInput,
  type ResourceWriter,
  type Selection,
} from '../../resources/index.ts'
import type { Post, PostQuery } from '../../content/posts/index.ts'
import { errors } from './errors.ts'
import { FontsController, THEME_JSON_VERSION, type FontChange } from './fonts-controller.ts'
import { themeJsonVersion } from './schema.ts'
import { FAMILY, parseSettings, settingsIn, textOf, type FontSettings } from './settings.ts'

/** Routes of font families. */
export class FontFamiliesController extends FontsController {
  protected override readonly input: ResourceInput<Post, PostQuery, FontChange>
  protected override readonly writer: ResourceWriter<Post, FontChange>
  readonly #faces: string
  /** Face IDs by family ID, as read so far by each request. */
  readonly #facesOf = new WeakMap<RestRequest, Map<number, number[]>>()

  constructor(plugin: PluginContext) {
    super(plugin, 'font-families', plugin.branding.typeName('font_family'))
    this.#faces = plugin.branding.typeName('font_face')
    const { posts } = plugin.services
    this.input = {
      queryOf: (request) => this.#queryOf(request),
      changeOf: (request, before) => this.#changeOf(request, before),
    }
    this.writer = {
      create: async (family, { user, scope }) => {
        await this.#checkSlugIsFree(family.slug ?? '', 0, scope)
        return posts.create({ ...family, type: this.type }, { user, scope })
      },
      update: ({ id }, change, { user, scope }) => posts.update(id, change, { user, scope }),
      delete: ({ id }, { user, scope }) => posts.remove(id, { user, scope }),
    }
  }

  protected override listArguments(): Arguments {
    const slugs = {
      description: 'Limits the list to families with these slugs.',
      type: 'array',
      items: { type: 'string' },
    } as const
    return { ...super.listArguments(), slug: slugs }
  }

  #queryOf(request: RestRequest): PostQuery {
    const slug = request.get('slug') as string[] | undefined
    return { ...this.queryOf(request), ...(slug !== undefined && { slug }) }
  }

  override async itemOf(request: RestRequest): Promise<Post> {
    return this.stored(request)
  }

  override itemArguments(use: 'create' | 'update'): Arguments {
    return {
      theme_json_version: themeJsonVersion(),
      font_family_settings: {
        description: 'Settings of the family, as JSON.',
        type: 'string',
        required: true,
        validate_callback: (value, _request, name) => this.#check(value, name, use),
      },
    }
  }

  #check(value: unknown, name: string, use: 'create' | 'update'): true | RestError {
    if (typeof value !== 'string') return validateValue(value, { type: 'string' }, name)
    const settings = parseSettings(value, FAMILY, name, use === 'create')
    if (settings instanceof Error) return settings
    if (use === 'update' && settings['slug'] !== undefined)
      return kernelErrors.rest_invalid_param(`${name}[slug] cannot be changed.`)
    return true
  }

  #changeOf(request: RestRequest, before: Post | null): FontChange {
    const settings = parseSettings(request.get('font_family_settings') as string, FAMILY, '', before === null)
    if (settings instanceof Error) throw settings
    const stored = before === null ? {} : settingsIn(before.content, FAMILY)
    const { name, slug, fontFamily = stored['fontFamily'], preview = stored['preview'] ?? '' } = settings
    return {
      status: 'publish',
      content: JSON.stringify({ fontFamily, preview }),
      ...(name !== undefined && { title: textOf(name) }),
      ...(before === null && { slug: this.plugin.services.permalinks.slugify(textOf(slug)) }),
    }
  }

  /** @throws rest_duplicate_font_family */
  async #checkSlugIsFree(slug: string, id: number, scope: RestRequest['scope']): Promise<void> {
    const query = { types: [this.type], statuses: ['publish'], slug: [slug], limit: 1, readScope: null }
    const { items } = await this.plugin.services.posts.query(query, scope)
    if (items.some((post) => post.id !== id)) throw errors.rest_duplicate_font_family(slug)
  }

  protected override itemSchema(): ItemSchema {
    const context = ['view', 'edit', 'embed'] as const
    return {
      $schema: SCHEMA_DRAFT,
      title: this.objectType,
      type: 'object',
      properties: {
        id: { description: 'ID of the family.', type: 'integer', context, readonly: true },
        theme_json_version: { ...themeJsonVersion(), context },
        font_faces: {
          description: 'IDs of the faces of the family.',
          type: 'array',
          context,
          items: { type: 'integer' },
        },
        font_family_settings: {
          description: 'Settings of the family.',
          type: 'object',
          context,
          properties: shownProperties(),
          required: [...FAMILY.required],
          additionalProperties: false,
        },
      },
    }
  }

  protected override async gather(
    families: readonly Post[],
    selection: Selection,
    request: RestRequest,
  ): Promise<void> {
    if (selection.has('font_faces') || selection.links) await this.#read(families, request)
  }

  /** Reads the face IDs of families in one statement. */
  async #read(families: readonly Post[], request: RestRequest): Promise<Map<number, number[]>> {
    const facesByFamily = this.#facesOf.get(request) ?? new Map<number, number[]>()
    const unknown = families.flatMap(({ id }) => (facesByFamily.has(id) ? [] : [id]))
    if (unknown.length === 0) return facesByFamily
    const { items } = await this.plugin.services.posts.queryLean({
      types: [this.#faces],
      statuses: ['publish'],
      parent: unknown,
      orderby: 'id',
      order: 'asc',
      limit: Number.MAX_SAFE_INTEGER,
      readScope: null,
    })
    for (const id of unknown) facesByFamily.set(id, [])
    for (const face of items) facesByFamily.get(face.parent_id)?.push(face.id)
    this.#facesOf.set(request, facesByFamily)
    return facesByFamily
  }

  protected override async toData(family: Post, selection: Selection, request: RestRequest) {
    const faces = selection.has('font_faces') ? (await this.#read([family], request)).get(family.id) : undefined
    return selection.read({
      id: () => family.id,
      theme_json_version: () => THEME_JSON_VERSION,
      font_faces: () => faces,
      font_family_settings: () => familySettings(family),
    })
  }

  protected override async toLinks(family: Post, request: RestRequest): Promise<Links> {
    const faces = (await this.#read([family], request)).get(family.id) ?? []
    const links: Links = { self: { href: this.href(family.id) }, collection: { href: this.href() } }
    if (faces.length > 0) {
      links['font_faces'] = faces.map((id) => ({ embeddable: true, href: this.href(`${family.id}/font-faces/${id}`) }))
    }
    return links
  }
}

/** Returns the settings properties for responses, without the length limits of the input. */
function shownProperties(): Record<string, ArgumentSchema> {
  const shown: Record<string, ArgumentSchema> = {}
  for (const [name, property] of Object.entries(FAMILY.properties)) {
    shown[name] = { ...property, ...(name === 'preview' && { default: '' }) }
    delete shown[name].maxLength
  }
  return shown
}

function familySettings({ title: name, slug, content }: Post): FontSettings {
  const { fontFamily = '', preview = '' } = settingsIn(content, FAMILY)
  return { name, slug, fontFamily, preview }
}
