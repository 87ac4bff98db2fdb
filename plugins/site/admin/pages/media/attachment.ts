import type { AdminView } from '../../frame/view.ts'

/** A file of the media library, as the REST API has it in the context `edit`. */
export interface Attachment {
  readonly id: number
  readonly date_gmt: string
  readonly author: number
  readonly title: { readonly raw: string; readonly rendered: string }
  readonly caption: { readonly raw: string }
  readonly description: { readonly raw: string }
  readonly alt_text: string
  readonly media_type: string
  readonly mime_type: string
  readonly source_url: string
  readonly link: string
  readonly filename: string | null
  readonly filesize: number | null
  readonly post: number | null
  readonly media_details: {
    readonly width?: number
    readonly height?: number
    /** Where somebody has said one. */
    readonly focal_point?: { readonly x: number; readonly y: number }
    /** Where it is so. */
    readonly decorative?: true
    readonly sizes?: Readonly<Record<string, ImageVersion>>
  }
}

interface ImageVersion {
  readonly source_url: string
  readonly width: number
  readonly height: number
}

/** The fields that pages about files ask for. */
export const LISTED =
  'id,date_gmt,author,title,alt_text,media_type,mime_type,source_url,filename,filesize,post,media_details'

/** The types of files that lists can be limited to. */
export const MEDIA_TYPES = ['image', 'video', 'audio', 'application', 'text'] as const

/** What a file is called, as plain text. */
export function nameOf({ title, filename }: Pick<Attachment, 'title' | 'filename'>): string {
  return title.raw || (filename ?? '')
}

/** URL of a small version of an image; '' for other files. */
export function thumbnailOf({ mime_type: type, media_details: details, source_url: url }: Attachment): string {
  if (!type.startsWith('image/')) return ''
  const { thumbnail, medium } = details.sizes ?? {}
  return (thumbnail ?? medium)?.source_url ?? url
}

/** The size of a file in words: `1.2 MB`. @param bytes null where nobody knows it */
export function sizeText({ words }: AdminView, bytes: number | null): string {
  if (bytes === null) return '–'
  const [unit, part] = bytes >= 1e6 ? (['megabyte', 1e6] as const) : (['kilobyte', 1e3] as const)
  const format = new Intl.NumberFormat(words.language, { style: 'unit', unit, maximumFractionDigits: 1 })
  return format.format(bytes / part)
}
