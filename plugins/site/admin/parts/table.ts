import { html, type HtmlValue, type PageHtml } from '../../../library/markup/index.ts'

/** A small table that shows all its rows; `listHtml` makes the large ones. */
export interface Table {
  /** What the table is, for screen readers. */
  readonly caption: string
  /** What the columns hold. Small screens say it before each cell. */
  readonly columns: readonly string[]
  /** A cell for each column; the first one is the name of the row. */
  readonly rows: readonly (readonly HtmlValue[])[]
}

/** A table with headings of columns and rows. */
export function tableHtml({ caption, columns, rows }: Table): PageHtml {
  const head = columns.map((column) => html`<th scope="col">${column}</th>`)
  const body = rows.map(([name, ...cells]) => {
    const others = cells.map((cell, index) => html`<td data-label="${columns[index + 1]}">${cell}</td>`)
    return html`<tr>
      <th scope="row">${name}</th>
      ${others}
    </tr>`
  })
  return tableFrame(caption, head, body)
}

/** A table of rows that are made already: it can be scrolled where it is too wide, and has a caption that is not seen. */
export function tableFrame(caption: string, head: HtmlValue, rows: readonly PageHtml[]): PageHtml {
  return html`<div class="scrolled">
    <table class="list">
      <caption class="hidden">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`
}
