import { escapeHtml, type PluginContext } from '../../../../kernel/index.ts'
import type { ShortcodeCallback } from '../../../rendering/shortcodes/index.ts'
import { attributesMarkup } from '../images/image-markup.ts'

/**
 * The shortcode `caption`: an image with the words below it. What it encloses begins with the image, linked or not; the
 * words follow, or are its attribute `caption`, of which stays what HTML of a post may have, whoever wrote it: no filter
 * of a post sees an attribute as HTML.
 * @param prefix what the names of classes begin with
 */
export function captionShortcode({ services }: PluginContext, prefix: string): ShortcodeCallback {
  return async (given, content) => {
    const { image, words } = parted(content ?? '')
    const own = given['caption']
    const text = own === undefined ? words : await services.html.filterLong(own, 'post')
    const width = Number.parseInt(given['width'] ?? '', 10)
    if (!(width > 0) || text.trim() === '') return content ?? ''
    const id = classNames(given['id'] ?? '')
    const named = id === '' ? '' : (given['caption_id'] ?? `caption-${id.replaceAll('_', '-')}`)
    const classes = [`${prefix}-caption`, given['align'] ?? 'alignnone', given['class'] ?? ''].map(classNames)
    const figure: [string, string][] = [
      ...(id === '' ? [] : ([['id', id], ['aria-describedby', named]] as [string, string][])), // prettier-ignore
      ['style', `width: ${width}px`],
      ['class', classes.filter((name) => name !== '').join(' ')],
    ]
    const caption = `${named === '' ? '' : `id="${escapeHtml(named)}" `}class="${prefix}-caption-text"`
    return `<figure ${attributesMarkup(figure)}>${image}<figcaption ${caption}>${text.trim()}</figcaption></figure>`
  }
}

/** An image, linked or not. Quotes hold brackets together. */
const IMAGE = /^\s*(?:<a\s(?:[^<>"']|"[^"]*"|'[^']*')*>\s*)?<img\s(?:[^<>"']|"[^"]*"|'[^']*')*>(?:\s*<\/a>)?/i

/** The image that content begins with, with the link around it, and what follows it. */
function parted(content: string): { image: string; words: string } {
  const [image = ''] = IMAGE.exec(content) ?? []
  return { image: image.trim(), words: content.slice(image.length) }
}

/** What may stand in a name of a class or an id. */
function classNames(text: string): string {
  return text.replace(/[^\w\s-]/g, '').trim()
}
