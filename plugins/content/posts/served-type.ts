import { derivedOfAll, type PluginContext, type RestRequest } from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import { seesTerms, type Taxonomy } from '../taxonomies/index.ts'

/** Features that types have without registering them, with the version that introduced them. */
const IMPLIED_FEATURES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  page: { excerpt: '4.4' },
  attachment: { thumbnail: '6.5' },
}

/** A content type that the REST API serves, with its taxonomies. */
export class ServedType {
  readonly type: ContentType
  /** Whether the REST API revision includes changes of a version. */
  readonly since: PluginContext['since']
  readonly #services: PluginContext['services']
  readonly #taxonomies = derivedOfAll(() => {
    const all = this.#services.taxonomies.ofType(this.type.name)
    return { served: all.filter((one) => one.show_in_rest), public: all.filter((one) => one.public) }
  })

  constructor({ services, since }: PluginContext, type: ContentType) {
    this.#services = services
    this.since = since
    this.type = type
  }

  /** Whether posts of the type have a feature. */
  has(feature: string): boolean {
    const { name, supports } = this.type
    if (Object.hasOwn(supports, feature)) return true
    const version = IMPLIED_FEATURES[name]?.[feature]
    return version !== undefined && this.since(version)
  }

  /** Whether posts include `class_list`: true for public, viewable types. */
  get hasClasses(): boolean {
    return this.type.viewable && this.type.public && this.since('6.6')
  }

  /** Taxonomies of the type that the REST API serves. */
  get taxonomies(): readonly Taxonomy[] {
    return this.#taxonomies().served
  }

  /** Taxonomies of the type with public terms, including those without routes. */
  get publicTaxonomies(): readonly Taxonomy[] {
    return this.#taxonomies().public
  }

  /** Taxonomies whose terms the user may see. Computed once per request. */
  taxonomiesFor({ scope, user }: RestRequest): readonly Taxonomy[] {
    const { capabilities } = this.#services
    return scope.get(this, () => this.taxonomies.filter((taxonomy) => seesTerms(capabilities, user, taxonomy)))
  }
}
