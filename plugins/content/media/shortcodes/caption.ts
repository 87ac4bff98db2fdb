import type { PluginContext } from '../../../../kernel/index.ts'
import { escapeHtml } from '../../../library/markup/index.ts'
import type { ShortcodeCallback } from './callback.ts'
import { attributesMarkup } from '../images/image-markup.ts'

/**
 * Creates the shortcode `caption`: an image with a text below it. The content begins with the image, linked or not; the
 * caption is the text after it, or the attribute `caption`. Post filters do not see HTML in attributes, so the
 * attribute is filtered here for every author.
 * @param prefix of the class names
 */
export function captionShortcode({ services, since }: PluginContext, prefix: string): ShortcodeCallback {
  return async (attributes, content, { numberOfId }) => {
    const { image, rest } = splitImage(content ?? '')
    const { caption } = attributes
    const text = caption === undefined ? rest : await services.html.filterLong(caption, 'post')
    const width = Number.parseInt(attributes['width'] ?? '', 10)
    if (!(width > 0) || text.trim() === '') return content ?? ''
    const name = cleanName(attributes['id'] ?? '')
    // The same image can have several captions in a post, and IDs must be unique.
    const id = name === '' || numberOfId === 1 || !since('7.1') ? name : `${name}-${numberOfId}`
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

/** Matches an image, linked or not. Brackets inside quotes do not end a tag. */
const IMAGE = /^\s*(?:<a\s(?:[^<>"']|"[^"]*"|'[^']*')*>\s*)?<img\s(?:[^<>"']|"[^"]*"|'[^']*')*>(?:\s*<\/a>)?/i

/** Splits the content into the leading image, with the link around it, and the rest. */
function splitImage(content: string): { image: string; rest: string } {
  const [image = ''] = IMAGE.exec(content) ?? []
  return { image: image.trim(), rest: content.slice(image.length) }
}

/** Removes characters that are not allowed in class names or IDs. */
function cleanName(text: string): string {
  return text.replace(/[^\w\s-]/g, '').trim()
}
