// Texts of the start page about the picture to zoom, the addresses and the service, in all languages of the
// pages, as plain text.

import type { PageLanguage } from "../http/representation/reader.ts";

/** Placeholders `{…}` are replaced with values. */
export interface AboutWords {
  readonly zoom: string;
  readonly zoomIn: string;
  readonly zoomOut: string;
  readonly whole: string;
  readonly fullScreen: string;
  readonly keys: string;
  readonly cannotBeShown: string;
  readonly noResponse: string;
  readonly about: string;
  readonly servedBy: string;
  readonly documentation: string;
  readonly addresses: string;
  readonly commands: string;
  readonly information: string;
  readonly version2: string;
  readonly detail: string;
  readonly large: string;
  readonly viewer: string;
  readonly manifest: string;
  readonly allInViewer: string;
  readonly allAsCollection: string;
  readonly state: string;
  readonly ownImages: string;
  readonly sample: string;
  readonly orConfig: string;
  readonly configThere: string;
  readonly away: string;
  readonly onlyOne: string;
  readonly noneOfFirst: string;
  readonly mapped: string;
  readonly noImages: string;
  readonly cannotList: string;
}

const en: AboutWords = {
  zoom: "Zoom",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  whole: "Whole picture",
  fullScreen: "Full screen",
  keys: "{name}: arrow keys move, plus and minus zoom, 0 shows all",
  cannotBeShown: "{name} cannot be shown.",
  noResponse: "The service does not respond. Load this page again in a moment.",
  about: "An image server for deep zoom.",
  servedBy: "Served by smalti {version}:",
  documentation: "Documentation",
  addresses: "Addresses",
  commands: "Commands",
  information: "Image information",
  version2: "Version 2",
  detail: "A detail",
  large: "A large JPEG",
  viewer: "Viewer",
  manifest: "Manifest",
  allInViewer: "All pictures, in the viewer",
  allAsCollection: "All pictures, as a collection",
  state: "State of the service",
  ownImages: "Your own images",
  sample: "This is the bundled sample. Start with a folder of images:",
  orConfig: "Or name sources in a configuration file:",
  configThere: "A file config.yaml in that folder may name other sources.",
  away: 'The source "{source}" is not responding now. Load this page again in a moment.',
  onlyOne: 'The only picture of the source "{source}" that is listed, {name}, cannot be shown.',
  noneOfFirst:
    'None of the first {count} pictures of the source "{source}" can be shown. Each says why below.',
  mapped:
    "A hook maps identifiers to images here, so they cannot be listed. Ask for an image by its identifier.",
  noImages:
    'The source "{source}" holds no image that can be listed. Put a JPEG, PNG, TIFF, WebP, GIF or JPEG 2000 file into its folder and load this page again.',
  cannotList: 'The source "{source}" cannot be listed. Ask for an image by its identifier.',
};

const de: AboutWords = {
  zoom: "Zoom",
  zoomIn: "Vergrößern",
  zoomOut: "Verkleinern",
  whole: "Ganzes Bild",
  fullScreen: "Vollbild",
  keys: "{name}: Pfeiltasten verschieben, Plus und Minus zoomen, 0 zeigt alles",
  cannotBeShown: "{name} lässt sich nicht anzeigen.",
  noResponse: "Der Dienst antwortet nicht. Laden Sie die Seite in einem Augenblick noch einmal.",
  about: "Ein Bildserver zum Hineinzoomen.",
  servedBy: "Bereitgestellt von smalti {version}:",
  documentation: "Dokumentation",
  addresses: "Adressen",
  commands: "Befehle",
  information: "Bildinformationen",
  version2: "Version 2",
  detail: "Ein Ausschnitt",
  large: "Ein großes JPEG",
  viewer: "Viewer",
  manifest: "Manifest",
  allInViewer: "Alle Bilder, im Viewer",
  allAsCollection: "Alle Bilder, als Collection",
  state: "Zustand des Dienstes",
  ownImages: "Eigene Bilder",
  sample: "Dies ist das mitgelieferte Beispiel. Starten Sie mit einem Ordner voller Bilder:",
  orConfig: "Oder nennen Sie Quellen in einer Konfigurationsdatei:",
  configThere: "Eine Datei config.yaml in diesem Ordner kann andere Quellen nennen.",
  away: "Die Quelle „{source}“ antwortet gerade nicht. Laden Sie die Seite in einem Augenblick noch einmal.",
  onlyOne: "Das einzige aufgeführte Bild der Quelle „{source}“, {name}, lässt sich nicht anzeigen.",
  noneOfFirst:
    "Keines der ersten {count} Bilder der Quelle „{source}“ lässt sich anzeigen. Unten steht jeweils, warum.",
  mapped:
    "Ein Hook ordnet hier Bezeichner den Bildern zu, daher lassen sie sich nicht aufführen. Rufen Sie ein Bild mit seinem Bezeichner ab.",
  noImages:
    "Die Quelle „{source}“ enthält kein Bild, das sich aufführen lässt. Legen Sie eine Datei in JPEG, PNG, TIFF, WebP, GIF oder JPEG 2000 in ihren Ordner und laden Sie die Seite noch einmal.",
  cannotList:
    "Die Quelle „{source}“ lässt sich nicht auflisten. Rufen Sie ein Bild mit seinem Bezeichner ab.",
};

const fr: AboutWords = {
  zoom: "Zoom",
  zoomIn: "Agrandir",
  zoomOut: "Réduire",
  whole: "Image entière",
  fullScreen: "Plein écran",
  keys: "{name} : les flèches déplacent, plus et moins zooment, 0 montre tout",
  cannotBeShown: "{name} ne peut pas être montrée.",
  noResponse: "Le service ne répond pas. Rechargez cette page dans un instant.",
  about: "Un serveur d’images pour zoomer en profondeur.",
  servedBy: "Servi par smalti {version} :",
  documentation: "Documentation",
  addresses: "Adresses",
  commands: "Commandes",
  information: "Informations sur l’image",
  version2: "Version 2",
  detail: "Un détail",
  large: "Un grand JPEG",
  viewer: "Visualiseur",
  manifest: "Manifeste",
  allInViewer: "Toutes les images, dans le visualiseur",
  allAsCollection: "Toutes les images, comme collection",
  state: "État du service",
  ownImages: "Vos propres images",
  sample: "Ceci est l’exemple fourni. Démarrez avec un dossier d’images :",
  orConfig: "Ou nommez des sources dans un fichier de configuration :",
  configThere: "Un fichier config.yaml dans ce dossier peut nommer d’autres sources.",
  away: "La source « {source} » ne répond pas pour le moment. Rechargez cette page dans un instant.",
  onlyOne: "La seule image affichée de la source « {source} », {name}, ne peut pas être montrée.",
  noneOfFirst:
    "Aucune des {count} premières images de la source « {source} » ne peut être montrée. Chacune dit pourquoi ci-dessous.",
  mapped:
    "Un hook associe ici les identifiants aux images, elles ne peuvent donc pas être listées. Demandez une image par son identifiant.",
  noImages:
    "La source « {source} » ne contient aucune image qui puisse être listée. Mettez un fichier JPEG, PNG, TIFF, WebP, GIF ou JPEG 2000 dans son dossier et rechargez cette page.",
  cannotList: "La source « {source} » ne peut pas être listée. Demandez une image par son identifiant.",
};

const es: AboutWords = {
  zoom: "Zoom",
  zoomIn: "Ampliar",
  zoomOut: "Reducir",
  whole: "Imagen entera",
  fullScreen: "Pantalla completa",
  keys: "{name}: las flechas mueven, más y menos amplían y reducen, 0 muestra todo",
  cannotBeShown: "{name} no se puede mostrar.",
  noResponse: "El servicio no responde. Vuelva a cargar esta página dentro de un momento.",
  about: "Un servidor de imágenes para ampliar hasta el detalle.",
  servedBy: "Servido por smalti {version}:",
  documentation: "Documentación",
  addresses: "Direcciones",
  commands: "Órdenes",
  information: "Información de la imagen",
  version2: "Versión 2",
  detail: "Un detalle",
  large: "Un JPEG grande",
  viewer: "Visor",
  manifest: "Manifiesto",
  allInViewer: "Todas las imágenes, en el visor",
  allAsCollection: "Todas las imágenes, como colección",
  state: "Estado del servicio",
  ownImages: "Sus propias imágenes",
  sample: "Este es el ejemplo incluido. Inicie con una carpeta de imágenes:",
  orConfig: "O nombre fuentes en un archivo de configuración:",
  configThere: "Un archivo config.yaml en esa carpeta puede nombrar otras fuentes.",
  away: "La fuente «{source}» no responde ahora. Vuelva a cargar esta página dentro de un momento.",
  onlyOne: "La única imagen de la fuente «{source}» que aparece, {name}, no se puede mostrar.",
  noneOfFirst:
    "No se puede mostrar ninguna de las primeras {count} imágenes de la fuente «{source}». Cada una dice por qué más abajo.",
  mapped:
    "Aquí un hook asigna identificadores a las imágenes, por eso no se pueden listar. Pida una imagen por su identificador.",
  noImages:
    "La fuente «{source}» no contiene ninguna imagen que se pueda listar. Ponga un archivo JPEG, PNG, TIFF, WebP, GIF o JPEG 2000 en su carpeta y vuelva a cargar esta página.",
  cannotList: "La fuente «{source}» no se puede listar. Pida una imagen por su identificador.",
};

const it: AboutWords = {
  zoom: "Zoom",
  zoomIn: "Ingrandisci",
  zoomOut: "Riduci",
  whole: "Immagine intera",
  fullScreen: "Schermo intero",
  keys: "{name}: le frecce spostano, più e meno ingrandiscono e riducono, 0 mostra tutto",
  cannotBeShown: "{name} non si può mostrare.",
  noResponse: "Il servizio non risponde. Ricarichi la pagina tra un momento.",
  about: "Un server di immagini per ingrandire fino al dettaglio.",
  servedBy: "Servito da smalti {version}:",
  documentation: "Documentazione",
  addresses: "Indirizzi",
  commands: "Comandi",
  information: "Informazioni sull’immagine",
  version2: "Versione 2",
  detail: "Un dettaglio",
  large: "Un JPEG grande",
  viewer: "Visualizzatore",
  manifest: "Manifest",
  allInViewer: "Tutte le immagini, nel visualizzatore",
  allAsCollection: "Tutte le immagini, come collezione",
  state: "Stato del servizio",
  ownImages: "Le sue immagini",
  sample: "Questo è l’esempio incluso. Avvii con una cartella di immagini:",
  orConfig: "Oppure nomini le fonti in un file di configurazione:",
  configThere: "Un file config.yaml in quella cartella può nominare altre fonti.",
  away: "La fonte «{source}» ora non risponde. Ricarichi la pagina tra un momento.",
  onlyOne: "L’unica immagine elencata della fonte «{source}», {name}, non si può mostrare.",
  noneOfFirst:
    "Nessuna delle prime {count} immagini della fonte «{source}» si può mostrare. Ognuna dice perché qui sotto.",
  mapped:
    "Qui un hook associa gli identificatori alle immagini, perciò non si possono elencare. Chieda un’immagine con il suo identificatore.",
  noImages:
    "La fonte «{source}» non contiene immagini che si possano elencare. Metta un file JPEG, PNG, TIFF, WebP, GIF o JPEG 2000 nella sua cartella e ricarichi la pagina.",
  cannotList: "La fonte «{source}» non si può elencare. Chieda un’immagine con il suo identificatore.",
};

const nl: AboutWords = {
  zoom: "Zoom",
  zoomIn: "Inzoomen",
  zoomOut: "Uitzoomen",
  whole: "Hele afbeelding",
  fullScreen: "Volledig scherm",
  keys: "{name}: pijltoetsen verschuiven, plus en min zoomen, 0 toont alles",
  cannotBeShown: "{name} kan niet worden getoond.",
  noResponse: "De dienst reageert niet. Laad deze pagina over een ogenblik opnieuw.",
  about: "Een beeldserver om diep in te zoomen.",
  servedBy: "Aangeboden door smalti {version}:",
  documentation: "Documentatie",
  addresses: "Adressen",
  commands: "Opdrachten",
  information: "Informatie over de afbeelding",
  version2: "Versie 2",
  detail: "Een detail",
  large: "Een grote JPEG",
  viewer: "Viewer",
  manifest: "Manifest",
  allInViewer: "Alle afbeeldingen, in de viewer",
  allAsCollection: "Alle afbeeldingen, als collectie",
  state: "Toestand van de dienst",
  ownImages: "Uw eigen afbeeldingen",
  sample: "Dit is het meegeleverde voorbeeld. Start met een map met afbeeldingen:",
  orConfig: "Of noem bronnen in een configuratiebestand:",
  configThere: "Een bestand config.yaml in die map kan andere bronnen noemen.",
  away: "De bron “{source}” reageert nu niet. Laad deze pagina over een ogenblik opnieuw.",
  onlyOne: "De enige afbeelding van de bron “{source}” die te zien is, {name}, kan niet worden getoond.",
  noneOfFirst:
    "Geen van de eerste {count} afbeeldingen van de bron “{source}” kan worden getoond. Hieronder staat telkens waarom.",
  mapped:
    "Een hook koppelt hier aanduidingen aan afbeeldingen, dus ze kunnen niet worden opgesomd. Vraag een afbeelding met haar aanduiding op.",
  noImages:
    "De bron “{source}” bevat geen afbeelding die kan worden opgesomd. Zet een bestand in JPEG, PNG, TIFF, WebP, GIF of JPEG 2000 in de map en laad deze pagina opnieuw.",
  cannotList: "De bron “{source}” kan niet worden opgesomd. Vraag een afbeelding met haar aanduiding op.",
};

export const aboutWords = { en, de, fr, es, it, nl } as const satisfies Readonly<
  Record<PageLanguage, AboutWords>
>;
