// The tools of the source of a text, which the rich editor does not need.
export { markdownKeys } from './markdown-keys.js'
export { insertPictures } from './pictures.js'
export { showPreview } from './preview.js'
