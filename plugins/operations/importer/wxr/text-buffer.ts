/** The part of a file that is not parsed yet, with its place in the file. */
export class TextBuffer {
  text = ''
  /** Position in `text` of the next character to parse. */
  at = 0
  /** Whether the file has no further text. */
  ended = false
  /** Characters of the file before `text`. */
  #base = 0
  /** Pieces that are not part of `text` yet. */
  #pieces: string[] = []
  #piecesLength = 0
  /** Line ends in the first pieces, as far as they were counted. */
  #piecesLines = 0
  #countedPieces = 0
  /** Line of the position `#countedTo`, the start of this line, and the next line end. */
  #line = 1
  #lineStart = 0
  #countedTo = 0
  #lineEnd = -1
  /** By mark: its first position at or after a position. */
  readonly #found = new Map<string, { from: number; at: number }>()

  /**
   * Adds text. Returns whether the buffer is worth parsing: text is joined only when it doubles the buffer, so that an
   * element of any length takes linear time.
   */
  add(piece: string): boolean {
    this.#pieces.push(piece)
    this.#piecesLength += piece.length
    if (this.#piecesLength < this.text.length - this.at) return false
    this.join()
    return true
  }

  end(): void {
    this.join()
    this.ended = true
  }

  /** Number of characters of the file that were parsed. */
  get parsed(): number {
    return this.#base + this.at
  }

  /** Number of characters of the file that were added. */
  get added(): number {
    return this.#base + this.text.length + this.#piecesLength
  }

  /** The line of a position, from 1. Positions are usually asked for in ascending order. */
  lineAt(position: number): number {
    if (position < this.#countedTo) return this.#line - linesIn(this.text.slice(position, this.#countedTo))
    while (this.#lineEnd !== -1 && this.#lineEnd < position) {
      this.#line += 1
      this.#lineStart = this.#lineEnd + 1
      this.#lineEnd = this.text.indexOf('\n', this.#lineStart)
    }
    this.#countedTo = position
    return this.#line
  }

  /** The line of a position in the piece that is added next. */
  lineOfNext(piece: string, index: number): number {
    for (; this.#countedPieces < this.#pieces.length; this.#countedPieces += 1) {
      this.#piecesLines += linesIn(this.#pieces[this.#countedPieces]!)
    }
    return this.lineAt(this.text.length) + this.#piecesLines + linesIn(piece.slice(0, index))
  }

  /** The last line and column of the text. */
  get lastPlace(): { line: number; column: number } {
    return { line: this.lineAt(this.text.length), column: this.text.length - this.#lineStart }
  }

  /** First position of a mark at or after a position; -1 if the text has none. Searches no part of the text twice. */
  find(mark: string, from: number): number {
    const known = this.#found.get(mark)
    if (known !== undefined && from >= known.from && (known.at === -1 || known.at >= from)) return known.at
    const at = this.text.indexOf(mark, from)
    this.#found.set(mark, { from, at })
    return at
  }

  /** Joins the added pieces with the text that is not parsed yet. */
  join(): void {
    const line = this.lineAt(this.at)
    const lineStart = this.#lineStart > this.at ? this.text.lastIndexOf('\n', this.at) + 1 : this.#lineStart
    this.#base += this.at
    this.text = [this.text.slice(this.at), ...this.#pieces].join('')
    this.#pieces = []
    this.#piecesLength = 0
    this.#piecesLines = 0
    this.#countedPieces = 0
    this.#line = line
    this.#lineStart = lineStart - this.at
    this.#countedTo = 0
    this.#lineEnd = this.text.indexOf('\n')
    this.#found.clear()
    this.at = 0
  }
}

function linesIn(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}
