import type { PluginContext } from '../../../../kernel/index.ts'
import { escapeHtml } from '../../../library/markup/index.ts'
import type { ShortcodeCallback } from './callback.ts'
import { attributesMarkup } from '../images/image-markup.ts'

/**
 * The shortcode `caption`: an image with a text below it. Its content begins with the image, linked or not; the text
 * follows, or is the attribute `caption`. Of an attribute no filter of the post has seen the HTML, so what a post may not
 * contain is removed here, whoever wrote it.
 * @param prefix of the class names
 */
export function captionShortcode({ services }: PluginContext, prefix: string): ShortcodeCallback {
  return async (attributes, content) => {
    const { image, rest } = splitImage(content ?? '')
    const { caption } = attributes
    const text = caption === undefined ? rest : await services.html.filterLong(caption, 'post')
    const width = Number.parseInt(attributes['width'] ?? '', 10)
    if (!(width > 0) || text.trim() === '') return content ?? ''
    const id = cleanName(attributes['id'] ?? '')
    const captionId = id === '' ? '' : (attributes['caption_id'] ?? `caption-${id.replaceAll('_', '-')}`)
    const classes = [`${prefix}-caption`, attributes['align'] ?? 'alignnone', attributes['class'] ?? ''].map(cleanName)
    const figure: [string, string][] = [
      ...(id === ''
        ? []
        : ([
            ['id', id],
            ['aria-describedby', captionId],
          ] as [string, string][])),
      ['style', `width: ${width}px`],
      ['class', classes.filter((name) => name !== '').join(' ')],
    ]
    const figcaption = `${captionId === '' ? '' : `id="${escapeHtml(captionId)}" `}class="${prefix}-caption-text"`
    return `<figure ${attributesMarkup(figure)}>${image}<figcaption ${figcaption}>${text.trim()}</figcaption></figure>`
  }
}

/** An image, linked or not. Quotes hold brackets together. */
const IMAGE = /^\s*(?:<a\s(?:[^<>"']|"[^"]*"|'[^']*')*>\s*)?<img\s(?:[^<>"']|"[^"]*"|'[^']*')*>(?:\s*<\/a>)?/i

/** The image that content begins with, with the link around it, and what follows it. */
function splitImage(content: string): { image: string; rest: string } {
  const [image = ''] = IMAGE.exec(content) ?? []
  return { image: image.trim(), rest: content.slice(image.length) }
}

/** Without the characters that may not be in a class name or an ID. */
function cleanName(text: string): string {
  return text.replace(/[^\w\s-]/g, '').trim()
}
