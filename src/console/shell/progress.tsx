/** A progress line at the top while the script of a page loads. */
export function Progress() {
  return <div className="ph-progress" role="progressbar" aria-label="Loading the page" />
}
