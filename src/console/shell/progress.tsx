/** A line at the top while the program of a page is fetched. */
export function Progress() {
  return <div className="ph-progress" role="progressbar" aria-label="Loading the page" />
}
