// Bundled as text: setup/page.sh.
declare module "*.sql" {
  const text: string;
  export default text;
}
