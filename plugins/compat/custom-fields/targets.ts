import type { PluginContext } from '../../public.ts'
import type { Field } from './model.ts'

/** Kinds of objects that have fields. */
export type TargetKind = 'post' | 'term' | 'user' | 'comment'

/** An object type of the REST API whose objects have fields. */
export interface TargetType {
  readonly objectType: string
  readonly kind: TargetKind
  /** Content type or taxonomy; the type of the post for revisions, '' for users and comments. */
  readonly subtype: string
  readonly isRevision: boolean
}

/** An object with the fields that apply to it. */
export interface Target {
  readonly type: TargetType
  readonly id: number
  readonly fields: readonly Field[]
}

/** Types whose items have no numeric ID. */
const TEXT_IDS = ['template', 'template_part', 'global_styles']

/** Returns the object types that can have fields. */
export function targetTypes({ branding, services }: PluginContext): TargetType[] {
  const withTextIds = new Set(TEXT_IDS.map((name) => branding.typeName(name)))
  const posts = services.contentTypes.exposed().filter(({ name }) => !withTextIds.has(name))
  return [
    ...posts.map(({ name }) => ({ objectType: name, kind: 'post', subtype: name, isRevision: false }) as const),
    ...posts
      .filter(({ name }) => name !== 'attachment')
      .map(({ name }) => ({ objectType: `${name}-revision`, kind: 'post', subtype: name, isRevision: true }) as const),
    ...services.taxonomies
      .exposed()
      .map(({ name, objectType }) => ({ objectType, kind: 'term', subtype: name, isRevision: false }) as const),
    { objectType: 'user', kind: 'user', subtype: '', isRevision: false },
    { objectType: 'comment', kind: 'comment', subtype: '', isRevision: false },
  ]
}
