import type { AdminView } from '../../frame/view.ts'

/** A media file as the REST API returns it in the context `edit`. */
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
    /** Missing if no focal point was set. */
    readonly focal_point?: { readonly x: number; readonly y: number }
    /** Missing if the image is not decorative. */
    readonly decorative?: true
    readonly sizes?: Readonly<Record<string, ImageVersion>>
  }
}

interface ImageVersion {
  readonly source_url: string
  readonly width: number
  readonly height: number
}

/** Fields that pages about files request. */
export const LIST_FIELDS =
  'id,date_gmt,author,title,alt_text,media_type,mime_type,source_url,filename,filesize,post,media_details'

/** Media types that lists can filter by. */
export const MEDIA_TYPES = ['image', 'video', 'audio', 'application', 'text'] as const

/** Returns the name of a file as plain text. */
export function nameOf({ title, filename }: Pick<Attachment, 'title' | 'filename'>): string {
  return title.raw || (filename ?? '')
}

/** Returns the URL of a small version of an image; '' for other files. */
export function thumbnailOf({ mime_type: type, media_details: details, source_url: url }: Attachment): string {
  if (!type.startsWith('image/')) return ''
  const { thumbnail, medium } = details.sizes ?? {}
  return (thumbnail ?? medium)?.source_url ?? url
}

/** Formats a file size: `1.2 MB`. @param bytes null if unknown */
export function sizeText({ words }: AdminView, bytes: number | null): string {
  if (bytes === null) return '–'
  const [unit, part] = bytes >= 1e6 ? (['megabyte', 1e6] as const) : (['kilobyte', 1e3] as const)
  const format = new Intl.NumberFormat(words.language, { style: 'unit', unit, maximumFractionDigits: 1 })
  return format.format(bytes / part)
}
