// Texts of the pages in all of their languages, as plain text. One file, so that a text is added and read in
// all languages together.

/** Placeholders `{…}` are replaced with values. */
export interface Words {
  readonly share: string;
  readonly wholeItem: string;
  readonly thisPage: string;
  readonly thisView: string;
  readonly link: string;
  readonly embed: string;
  readonly state: string;
  readonly copy: string;
  readonly copied: string;
  readonly close: string;
  readonly manifest: string;
  readonly drag: string;
  readonly openWith: string;
  readonly download: string;
  readonly pixels: string;
  readonly noDownload: string;
  readonly wait: string;
  readonly noScript: string;
  readonly trouble: string;
  readonly previous: string;
  readonly next: string;
  readonly pageOf: string;
  readonly pages: string;
  readonly gated: string;
  readonly gatedDocument: string;
  readonly unreadable: string;
  readonly damaged: string;
  readonly notPlayed: string;
  readonly empty: string;
  readonly up: string;
  readonly noSuchViewer: string;
  readonly noSuchCanvas: string;
  readonly noSuchRegion: string;
  readonly noSuchSelector: string;
  readonly elsewhere: string;
  readonly elsewhereText: string;
}

const en: Words = {
  share: "Share",
  wholeItem: "The whole item",
  thisPage: "This page",
  thisView: "This view",
  link: "Link",
  embed: "Code for a web page",
  state: "Content state (JSON)",
  copy: "Copy",
  copied: "Copied",
  close: "Close",
  manifest: "Manifest",
  drag: "Drag to any IIIF viewer, or copy the address of the manifest",
  openWith: "Open in {viewer}",
  download: "Download",
  pixels: "{width} × {height} pixels",
  noDownload: "This picture cannot be downloaded now. If it needs a login, log in and try again.",
  wait: "One moment …",
  noScript: "The viewer needs JavaScript. Here is the picture without it.",
  trouble: "The viewer could not be loaded. Load this page again, or look at the picture by itself:",
  previous: "Previous",
  next: "Next",
  pageOf: "{number} of {count}",
  pages: "Pages: {count}",
  gated: "This picture is shown after a login.",
  gatedDocument: "This is shown after a login.",
  unreadable: "This picture cannot be shown.",
  damaged: "This picture is damaged in part. What can be read of it is shown.",
  notPlayed: "Sound, films and models of this item are not played in {viewer} here. Their files:",
  empty: "There is nothing here yet.",
  up: "Up to {label}",
  noSuchViewer: "There is no viewer “{name}” here. This is {viewer}.",
  noSuchCanvas: "The link names a page that this item does not have. It opens at its beginning.",
  noSuchRegion: "The link names a detail outside of this page. You see the whole page.",
  noSuchSelector:
    "The link names a part of this page in a way that cannot be shown here. You see the whole page.",
  elsewhere: "This link leads to another site",
  elsewhereText: "What it shows is not kept here, so this viewer does not open it. It points at:",
};

const de: Words = {
  share: "Teilen",
  wholeItem: "Das ganze Objekt",
  thisPage: "Diese Seite",
  thisView: "Dieser Ausschnitt",
  link: "Link",
  embed: "Code für eine Webseite",
  state: "Content State (JSON)",
  copy: "Kopieren",
  copied: "Kopiert",
  close: "Schließen",
  manifest: "Manifest",
  drag: "In einen IIIF-Viewer ziehen, oder die Adresse des Manifests kopieren",
  openWith: "In {viewer} öffnen",
  download: "Herunterladen",
  pixels: "{width} × {height} Pixel",
  noDownload:
    "Dieses Bild lässt sich gerade nicht herunterladen. Falls es eine Anmeldung braucht, melden Sie sich an und versuchen Sie es noch einmal.",
  wait: "Einen Augenblick …",
  noScript: "Der Viewer braucht JavaScript. Hier ist das Bild ohne ihn.",
  trouble:
    "Der Viewer konnte nicht geladen werden. Laden Sie die Seite noch einmal, oder sehen Sie das Bild für sich an:",
  previous: "Zurück",
  next: "Weiter",
  pageOf: "{number} von {count}",
  pages: "Seiten: {count}",
  gated: "Dieses Bild wird nach einer Anmeldung gezeigt.",
  gatedDocument: "Dies wird nach einer Anmeldung gezeigt.",
  unreadable: "Dieses Bild lässt sich nicht anzeigen.",
  damaged: "Dieses Bild ist zum Teil beschädigt. Gezeigt wird, was sich davon lesen lässt.",
  notPlayed: "{viewer} spielt Töne, Filme und Modelle dieses Objekts hier nicht ab. Die Dateien:",
  empty: "Hier ist noch nichts.",
  up: "Hinauf zu {label}",
  noSuchViewer: "Einen Viewer „{name}“ gibt es hier nicht. Dies ist {viewer}.",
  noSuchCanvas: "Der Link nennt eine Seite, die dieses Objekt nicht hat. Es öffnet sich am Anfang.",
  noSuchRegion: "Der Link nennt einen Ausschnitt außerhalb dieser Seite. Sie sehen die ganze Seite.",
  noSuchSelector:
    "Der Link nennt einen Teil dieser Seite auf eine Weise, die hier nicht angezeigt werden kann. Sie sehen die ganze Seite.",
  elsewhere: "Dieser Link führt zu einer anderen Website",
  elsewhereText: "Was er zeigt, liegt nicht hier, daher öffnet dieser Viewer es nicht. Er zeigt auf:",
};

const fr: Words = {
  share: "Partager",
  wholeItem: "Le document entier",
  thisPage: "Cette page",
  thisView: "Cette vue",
  link: "Lien",
  embed: "Code pour une page web",
  state: "Content state (JSON)",
  copy: "Copier",
  copied: "Copié",
  close: "Fermer",
  manifest: "Manifeste",
  drag: "Faites glisser vers un visualiseur IIIF, ou copiez l’adresse du manifeste",
  openWith: "Ouvrir dans {viewer}",
  download: "Télécharger",
  pixels: "{width} × {height} pixels",
  noDownload:
    "Cette image ne peut pas être téléchargée pour le moment. Si elle demande une connexion, connectez-vous et réessayez.",
  wait: "Un instant…",
  noScript: "Le visualiseur a besoin de JavaScript. Voici l’image sans lui.",
  trouble: "Le visualiseur n’a pas pu être chargé. Rechargez cette page, ou regardez l’image seule :",
  previous: "Précédente",
  next: "Suivante",
  pageOf: "{number} sur {count}",
  pages: "Pages : {count}",
  gated: "Cette image est montrée après une connexion.",
  gatedDocument: "Ce contenu est montré après une connexion.",
  unreadable: "Cette image ne peut pas être montrée.",
  damaged: "Cette image est en partie endommagée. Ce qui peut en être lu est montré.",
  notPlayed: "{viewer} ne lit pas ici les sons, films et modèles de cet objet. Leurs fichiers :",
  empty: "Il n’y a encore rien ici.",
  up: "Remonter à {label}",
  noSuchViewer: "Il n’y a pas de visualiseur « {name} » ici. Celui-ci est {viewer}.",
  noSuchCanvas: "Le lien désigne une page que ce document n’a pas. Il s’ouvre au début.",
  noSuchRegion: "Le lien désigne un détail hors de cette page. Vous voyez la page entière.",
  noSuchSelector:
    "Le lien désigne une partie de cette page d’une manière qui ne peut pas être affichée ici. Vous voyez la page entière.",
  elsewhere: "Ce lien mène à un autre site",
  elsewhereText: "Ce qu’il montre n’est pas conservé ici, ce visualiseur ne l’ouvre donc pas. Il désigne :",
};

const es: Words = {
  share: "Compartir",
  wholeItem: "El objeto entero",
  thisPage: "Esta página",
  thisView: "Esta vista",
  link: "Enlace",
  embed: "Código para una página web",
  state: "Content state (JSON)",
  copy: "Copiar",
  copied: "Copiado",
  close: "Cerrar",
  manifest: "Manifiesto",
  drag: "Arrastre a un visor IIIF, o copie la dirección del manifiesto",
  openWith: "Abrir en {viewer}",
  download: "Descargar",
  pixels: "{width} × {height} píxeles",
  noDownload:
    "Esta imagen no se puede descargar ahora. Si requiere iniciar sesión, hágalo e inténtelo de nuevo.",
  wait: "Un momento…",
  noScript: "El visor necesita JavaScript. Esta es la imagen sin él.",
  trouble: "No se ha podido cargar el visor. Vuelva a cargar la página, o vea la imagen por separado:",
  previous: "Anterior",
  next: "Siguiente",
  pageOf: "{number} de {count}",
  pages: "Páginas: {count}",
  gated: "Esta imagen se muestra tras iniciar sesión.",
  gatedDocument: "Esto se muestra tras iniciar sesión.",
  unreadable: "Esta imagen no se puede mostrar.",
  damaged: "Esta imagen está dañada en parte. Se muestra lo que se puede leer de ella.",
  notPlayed: "{viewer} no reproduce aquí los sonidos, películas y modelos de este objeto. Sus archivos:",
  empty: "Aquí todavía no hay nada.",
  up: "Subir a {label}",
  noSuchViewer: "Aquí no hay un visor «{name}». Este es {viewer}.",
  noSuchCanvas: "El enlace nombra una página que este objeto no tiene. Se abre por el principio.",
  noSuchRegion: "El enlace nombra un detalle fuera de esta página. Ve la página entera.",
  noSuchSelector:
    "El enlace indica una parte de esta página de una manera que no se puede mostrar aquí. Se ve la página entera.",
  elsewhere: "Este enlace lleva a otro sitio",
  elsewhereText: "Lo que muestra no se guarda aquí, por eso este visor no lo abre. Apunta a:",
};

const it: Words = {
  share: "Condividi",
  wholeItem: "L’oggetto intero",
  thisPage: "Questa pagina",
  thisView: "Questa vista",
  link: "Collegamento",
  embed: "Codice per una pagina web",
  state: "Content state (JSON)",
  copy: "Copia",
  copied: "Copiato",
  close: "Chiudi",
  manifest: "Manifest",
  drag: "Trascini in un visualizzatore IIIF, o copi l’indirizzo del manifest",
  openWith: "Apri in {viewer}",
  download: "Scarica",
  pixels: "{width} × {height} pixel",
  noDownload: "Questa immagine ora non si può scaricare. Se richiede un accesso, acceda e riprovi.",
  wait: "Un momento…",
  noScript: "Il visualizzatore ha bisogno di JavaScript. Ecco l’immagine senza di esso.",
  trouble: "Il visualizzatore non si è caricato. Ricarichi la pagina, o guardi l’immagine da sola:",
  previous: "Precedente",
  next: "Successiva",
  pageOf: "{number} di {count}",
  pages: "Pagine: {count}",
  gated: "Questa immagine si vede dopo un accesso.",
  gatedDocument: "Questo contenuto si vede dopo un accesso.",
  unreadable: "Questa immagine non si può mostrare.",
  damaged: "Questa immagine è in parte danneggiata. Si mostra ciò che se ne può leggere.",
  notPlayed: "{viewer} non riproduce qui i suoni, i filmati e i modelli di questo oggetto. I loro file:",
  empty: "Qui non c’è ancora nulla.",
  up: "Su a {label}",
  noSuchViewer: "Qui non c’è un visualizzatore «{name}». Questo è {viewer}.",
  noSuchCanvas: "Il collegamento nomina una pagina che questo oggetto non ha. Si apre dall’inizio.",
  noSuchRegion: "Il collegamento nomina un dettaglio fuori da questa pagina. Vede la pagina intera.",
  noSuchSelector:
    "Il link indica una parte di questa pagina in un modo che qui non può essere mostrato. Si vede la pagina intera.",
  elsewhere: "Questo collegamento porta a un altro sito",
  elsewhereText: "Ciò che mostra non si trova qui, perciò questo visualizzatore non lo apre. Indica:",
};

const nl: Words = {
  share: "Delen",
  wholeItem: "Het hele object",
  thisPage: "Deze pagina",
  thisView: "Deze weergave",
  link: "Link",
  embed: "Code voor een webpagina",
  state: "Content state (JSON)",
  copy: "Kopiëren",
  copied: "Gekopieerd",
  close: "Sluiten",
  manifest: "Manifest",
  drag: "Sleep naar een IIIF-viewer, of kopieer het adres van het manifest",
  openWith: "Openen in {viewer}",
  download: "Downloaden",
  pixels: "{width} × {height} pixels",
  noDownload:
    "Deze afbeelding kan nu niet worden gedownload. Als u ervoor moet inloggen, log dan in en probeer het opnieuw.",
  wait: "Een ogenblik…",
  noScript: "De viewer heeft JavaScript nodig. Hier is de afbeelding zonder viewer.",
  trouble: "De viewer kon niet worden geladen. Laad de pagina opnieuw, of bekijk de afbeelding apart:",
  previous: "Vorige",
  next: "Volgende",
  pageOf: "{number} van {count}",
  pages: "Pagina’s: {count}",
  gated: "Deze afbeelding is te zien na het inloggen.",
  gatedDocument: "Dit is te zien na het inloggen.",
  unreadable: "Deze afbeelding kan niet worden getoond.",
  damaged: "Deze afbeelding is deels beschadigd. Te zien is wat ervan te lezen valt.",
  notPlayed: "{viewer} speelt geluid, films en modellen van dit object hier niet af. De bestanden:",
  empty: "Hier is nog niets.",
  up: "Omhoog naar {label}",
  noSuchViewer: "Er is hier geen viewer “{name}”. Dit is {viewer}.",
  noSuchCanvas: "De link noemt een pagina die dit object niet heeft. Het opent bij het begin.",
  noSuchRegion: "De link noemt een detail buiten deze pagina. U ziet de hele pagina.",
  noSuchSelector:
    "De link noemt een deel van deze pagina op een manier die hier niet kan worden getoond. U ziet de hele pagina.",
  elsewhere: "Deze link leidt naar een andere site",
  elsewhereText: "Wat hij toont, staat niet hier; daarom opent deze viewer het niet. Hij wijst naar:",
};

export const words = { en, de, fr, es, it, nl } as const satisfies Readonly<Record<string, Words>>;
