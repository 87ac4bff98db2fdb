import { plainText, type AdminView, type ShownFile } from '../../public.ts'
import { isBranch, newBranch, partOf, rowsAt, textAt, type FormTree } from './form-tree.ts'
import type { Field } from './model.ts'
import { valueFields } from './shape.ts'
import { kindOf, layoutOf } from './value-forms.ts'

/** Files by ID; files that the user cannot read are left out. */
export type ShownFiles = ReadonlyMap<number, ShownFile>

/** Files of one form, at most. */
const MAX_FILES = 100

interface Media {
  readonly id: number
  readonly title?: { readonly rendered?: string }
  readonly alt_text?: string
  readonly media_type?: string
  readonly source_url?: string
  readonly media_details?: { readonly sizes?: Readonly<Record<string, { readonly source_url?: string }>> }
}

/** Reads the files that the image and file fields of a form show. */
export async function shownFiles(view: AdminView, fields: readonly Field[], tree: FormTree): Promise<ShownFiles> {
  const include = [...new Set(fileIds(fields, tree))].slice(0, MAX_FILES)
  if (include.length === 0) return new Map()
  const found = await view.find<Media[]>('media', { query: { include, per_page: MAX_FILES } })
  return new Map(
    (found ?? []).map(
      ({ id, title, alt_text: alt = '', media_type: type, source_url: url = '', media_details: details }) => {
        const thumbnail = type === 'image' ? (details?.sizes?.['thumbnail']?.source_url ?? url) : ''
        return [id, { title: plainText(title?.rendered ?? ''), alt, thumbnail }] as const
      },
    ),
  )
}

function fileIds(fields: readonly Field[], tree: FormTree | undefined): number[] {
  return valueFields(fields).flatMap((field) => {
    const part = partOf(field.key)
    switch (kindOf(field)) {
      case 'file': {
        const id = Number(textAt(tree, part))
        return Number.isSafeInteger(id) && id > 0 ? [id] : []
      }
      case 'group':
        return fileIds(field.fields, isBranch(tree) ? tree[part] : undefined)
      case 'rows':
      case 'layouts':
        return rowsAt(isBranch(tree) ? tree : newBranch(), part).flatMap((row) =>
          fileIds(layoutOf(field, textAt(row, '_layout'))?.fields ?? field.fields, row),
        )
      case 'choice':
      case 'choices':
      case 'date':
      case 'datetime':
      case 'flag':
      case 'id':
      case 'ids':
      case 'json':
      case 'lines':
      case 'link':
      case 'number':
      case 'text':
      case 'time':
        return []
    }
  })
}
