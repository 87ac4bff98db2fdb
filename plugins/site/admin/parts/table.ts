import { html, type HtmlValue, type PageHtml } from '../../../library/markup/index.ts'

/** A small table with all its rows; `listHtml` renders long lists. */
export interface Table {
  /** Caption of the table for screen readers. */
  readonly caption: string
  /** Headings of the columns; small screens show them next to each cell. */
  readonly columns: readonly string[]
  /** One cell per column; the first cell is the header of the row. */
  readonly rows: readonly (readonly HtmlValue[])[]
}

/** Renders a table with row and column headings. */
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

/** Renders a scrollable table of rendered rows, with a caption for screen readers. @param name further class */
export function tableFrame(caption: string, head: HtmlValue, rows: readonly PageHtml[], name = ''): PageHtml {
  return html`<div class="scrolled">
    <table class="list ${name}">
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
